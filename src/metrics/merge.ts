/** Merges the metrics of several processes: each metric occurs once, with the samples of all processes. Labels tell them apart. */

/** Lines of HELP and TYPE. */
const HEAD_LINES = 2;

/** Merges texts in Prometheus' format as prom-client writes it, with an empty line between metrics. */
export function mergeMetrics(texts: readonly string[]): string {
  const samples = new Map<string, string[]>();
  for (const metric of texts.flatMap(text => text.trim().split('\n\n'))) {
    const lines = metric.split('\n');
    const head = lines.slice(0, HEAD_LINES).join('\n');
    samples.set(head, [...(samples.get(head) ?? []), ...lines.slice(HEAD_LINES)]);
  }
  samples.delete('');
  return [...samples]
    .map(([head, lines]) => [head, ...lines].join('\n'))
    .join('\n\n')
    .concat('\n');
}
