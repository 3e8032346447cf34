/** What this process counts, and who may have it. */
import type { Config } from '../config.ts';
import type { MetricsRouteDependencies } from '../http/metrics.ts';
import { Exchange } from './exchange.ts';
import { Metrics } from './metrics.ts';

export interface Metering {
  metrics: Metrics;
  /** Of all processes that share the port. */
  text(): Promise<string>;
}

type MetricsConfig = Pick<Config, 'metricsPort' | 'metricsToken' | 'worker'>;

/** Null where nobody can ask: then nothing is counted. */
export function meteringOf({ metricsPort, metricsToken, worker }: MetricsConfig): Metering | null {
  if (metricsPort === null && metricsToken === null) return null;
  const metrics = new Metrics(worker);
  const own = () => metrics.text();
  if (worker === null) return { metrics, text: own };
  const supervisor = new Exchange(message => process.send?.(message), own);
  process.on('message', message => supervisor.hear(message));
  return { metrics, text: () => supervisor.ask() };
}

/** On the port of everybody: only with a token, and only where there is no port of its own. */
export function publicFigures(
  { metricsPort, metricsToken: token }: MetricsConfig,
  metering: Metering | null,
): MetricsRouteDependencies['figures'] {
  if (metering === null || token === null || metricsPort !== null) return null;
  return { token, text: metering.text };
}
