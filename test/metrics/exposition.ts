/** Prometheus' text format, version 0.0.4, read strictly: what a scraper would take. */

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Family {
  type: string;
  help: string;
  samples: Sample[];
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/gy;

/** Metrics by name. Throws on invalid format and on duplicate metrics or samples. */
export function familiesOf(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let help: [name: string, text: string] | null = null;
  let current: [name: string, family: Family] | null = null;
  for (const line of text.split('\n').filter(Boolean)) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word === 'HELP') help = [name, rest];
    else if (word === 'TYPE') {
      if (help?.[0] !== name || families.has(name)) throw new Error(`out of place: ${line}`);
      current = [name, { type: rest, help: help[1], samples: [] }];
      families.set(...current);
    } else {
      const sample = sampleOf(line);
      const key = `${sample.name}${JSON.stringify(Object.entries(sample.labels).sort())}`;
      if (!current || !belongs(sample.name, ...current) || seen.has(key))
        throw new Error(`out of place: ${line}`);
      seen.add(key);
      current[1].samples.push(sample);
    }
  }
  return families;
}

function sampleOf(line: string): Sample {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`);
  const found = [...labels.matchAll(LABEL)];
  if (found.reduce((length, [each]) => length + each.length, 0) !== labels.length)
    throw new Error(`no labels: ${line}`);
  return {
    name,
    labels: Object.fromEntries(found.map(([, label, text]) => [label!, text!])),
    value: Number(value.replace('Inf', 'Infinity')),
  };
}

function belongs(sample: string, name: string, { type }: Family): boolean {
  if (type === 'histogram') return [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(sample);
  return sample === name;
}

/** The sum of the samples of that name that have these labels. */
export function sumOf(
  families: Map<string, Family>,
  name: string,
  labels: Record<string, string> = {},
): number {
  const family = families.get(name.replace(/_(bucket|sum|count)$/, '')) ?? families.get(name);
  if (!family) throw new Error(`there is no metric ${name}`);
  const has = (sample: Sample) =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
  return family.samples.filter(has).reduce((sum, { value }) => sum + value, 0);
}
