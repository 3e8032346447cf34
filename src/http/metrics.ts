/** GET /metrics on the public port, for callers with the token. Not found without a configured token. */
import { timingSafeEqual } from 'node:crypto';
import { secretSha256 } from '../account/keys.ts';
import { Rejection } from '../terms/errors.ts';
import { bearerToken } from './authentication.ts';
import { nothingHere } from './methods.ts';
import { page } from './route.ts';

/** Metrics and who may read them. */
export interface MetricsEndpoint {
  /** The bearer token that callers need; null: no token is needed. */
  token: string | null;
  /** In Prometheus' text format 0.0.4. */
  text(): Promise<string>;
}

export interface MetricsRouteDependencies {
  /** Null: not available on this port. */
  metricsEndpoint: (MetricsEndpoint & { token: string }) | null;
}

export const metricsRoutes = [
  page('/metrics', ({ request }, { metricsEndpoint }: MetricsRouteDependencies) =>
    scrape(request, metricsEndpoint),
  ),
];

/** Throws `Rejection` NOT_FOUND, AUTH_INVALID. */
export async function scrape(
  { headers }: Request,
  metricsEndpoint: MetricsEndpoint | null,
): Promise<Response> {
  if (metricsEndpoint === null) throw nothingHere();
  if (metricsEndpoint.token !== null && !isSame(bearerToken(headers) ?? '', metricsEndpoint.token))
    throw new Rejection('AUTH_INVALID', 'Send the METRICS_TOKEN as Authorization: Bearer');
  const text = await metricsEndpoint.text();
  return new Response(text, {
    headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}

/** Compares in constant time. */
const isSame = (given: string, token: string): boolean =>
  timingSafeEqual(Buffer.from(secretSha256(given)), Buffer.from(secretSha256(token)));
