/** Creates the metrics of this process and decides who may read them. */
import type { Config } from '../config/config.ts';
import type { MetricsRouteDependencies } from '../http/metrics.ts';
import type { Metrics } from './metrics.ts';

export interface ProcessMetrics {
  metrics: Metrics;
  text(): Promise<string>;
}

type MetricsConfig = Pick<Config, 'metricsPort' | 'metricsToken'>;

/** Null if nobody can read metrics: then nothing is counted. */
export async function openMetrics({
  metricsPort,
  metricsToken,
}: MetricsConfig): Promise<ProcessMetrics | null> {
  if (metricsPort === null && metricsToken === null) return null;
  // Its library takes as long to load as that of HTTP.
  const { Metrics } = await import('./metrics.ts');
  const metrics = new Metrics();
  return { metrics, text: () => metrics.text() };
}

/** The metrics for the public port. Null without a token, and with a separate port. */
export function publicMetrics(
  { metricsPort, metricsToken: token }: MetricsConfig,
  processMetrics: ProcessMetrics | null,
): MetricsRouteDependencies['metricsEndpoint'] {
  if (processMetrics === null || token === null || metricsPort !== null) return null;
  return { token, text: processMetrics.text };
}
