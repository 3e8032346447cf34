/** Serves GET /metrics on a separate port. */
import { ConfigError, type Config } from '../config/config.ts';
import { Rejection } from '../terms/errors.ts';
import { addHeaders } from '../http/answer-headers.ts';
import { urlOf } from '../http/first-steps.ts';
import { type MetricsEndpoint, scrape } from '../http/metrics.ts';
import { refusalAnswer } from '../http/refuse.ts';

/** Null if no port is configured. Throws `ConfigError` if it cannot listen there. */
export function serveMetrics(
  { metricsHost, metricsPort, metricsToken }: Pick<Config, 'metricsHost' | 'metricsPort' | 'metricsToken'>,
  text: () => Promise<string>,
): { url: string } | null {
  if (metricsPort === null) return null;
  const metricsEndpoint: MetricsEndpoint = { token: metricsToken, text };
  try {
    const server = Bun.serve({
      port: metricsPort,
      hostname: metricsHost,
      reusePort: false,
      development: false,
      fetch: request => answer(request, metricsEndpoint),
      error: () => new Response(null, { status: 500 }),
    });
    return { url: `${urlOf(server)}/metrics` };
  } catch (error) {
    const where = `METRICS_HOST ${metricsHost}, METRICS_PORT ${metricsPort}`;
    throw new ConfigError(`Cannot listen on ${where}: ${(error as Error).message}`);
  }
}

async function answer(request: Request, metricsEndpoint: MetricsEndpoint): Promise<Response> {
  const response = await scrape(request, isMetrics(request) ? metricsEndpoint : null).catch(refusal);
  addHeaders(response.headers);
  return response;
}

const isMetrics = ({ method, url }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') && /^[^?#]*\/metrics([?#]|$)/.test(url);

function refusal(error: unknown): Response {
  if (!(error instanceof Rejection)) throw error;
  return refusalAnswer(error);
}
