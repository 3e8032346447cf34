/** The Grafana dashboard uses the metrics that the service exposes, and all of them. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { join } from 'node:path';
import { processKeptBytes } from '../../src/threads/kept-bytes.ts';
import { Metrics } from '../../src/metrics/metrics.ts';
import { batch, Service } from '../http/service.ts';
import { type Family, familiesOf } from '../metrics/exposition.ts';

interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
}

const file = join(import.meta.dir, '../../deploy/grafana/sluice.json');
const dashboard = await Bun.file(file).json();
const panels: Panel[] = dashboard.panels;
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(each => ({ title, ...each })));
const variables: { name: string; definition?: string }[] = dashboard.templating.list;

/** Added by Prometheus when it scrapes. */
const OF_THE_SCRAPE = ['job', 'instance'];

/** Everything that the service exposes, each metric with a sample. */
let exposed: Map<string, Family>;

beforeAll(async () => {
  const metrics = new Metrics();
  const service = new Service({ meter: metrics });
  metrics.watch({ threads: service.threads, kept: processKeptBytes });
  await service.post(batch([{ a: 1 }]));
  await service.post(batch([{ b: 1 }]));
  await service.post('{');
  metrics.ofStore('jobs', 'complete')(1, true);
  await setImmediate();
  exposed = familiesOf(await metrics.text());
});

/** Names of metrics in a query, with the labels used for each. */
function askedBy(expr: string): { name: string; labels: string[] }[] {
  const selectors = [...expr.matchAll(/\b((?:sluice|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(/, */));
  return selectors.map(([, name, matchers = '']) => {
    const matched = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!);
    return { name: name!, labels: [...matched, ...grouped] };
  });
}

const samplesOf = (name: string) =>
  [...exposed.values()].flatMap(({ samples }) => samples.filter(sample => sample.name === name));

describe('every query', () => {
  test.each(queries)(
    'of $title asks for a metric that is there, with labels that it has: $expr',
    ({ expr, legendFormat }) => {
      const asked = askedBy(expr);
      expect(asked.length).toBeGreaterThan(0);
      for (const { name, labels } of asked) {
        const samples = samplesOf(name);
        expect([name, samples.length > 0]).toEqual([name, true]);
        const has = new Set([...OF_THE_SCRAPE, ...samples.flatMap(each => Object.keys(each.labels))]);
        expect(labels.filter(label => !has.has(label))).toEqual([]);
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
        expect(shown.filter(label => !labels.includes(label))).toEqual([]);
      }
    },
  );

  test.each(queries)('in $title filters by the chosen job and instance: $expr', ({ expr }) => {
    const selectors = expr.match(/\{[^}]*\}/g) ?? [];
    expect(selectors).toHaveLength(askedBy(expr).length);
    for (const each of selectors) expect(each).toContain('job=~"$job", instance=~"$instance"');
  });

  test.each(queries)('in $title takes rates only of counters: $expr', ({ expr }) => {
    for (const { name } of askedBy(expr)) {
      const family = [...exposed.values()].find(({ samples }) => samples.some(each => each.name === name))!;
      const isRate = expr.includes(`rate(${name}{`);
      expect([name, isRate]).toEqual([name, family.type !== 'gauge']);
    }
  });
});

test('every metric of the service is shown', () => {
  const shown = new Set(queries.flatMap(({ expr }) => askedBy(expr).map(({ name }) => name)));
  const ours = [...exposed].filter(([name]) => name.startsWith('sluice_'));
  const missing = ours.filter(([, { samples }]) => !samples.some(({ name }) => shown.has(name)));
  expect(missing.map(([name]) => name)).toEqual([]);
});

test('the operation page names exactly the metrics of the service', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/operation.md')).text();
  const asked = page.matchAll(/\bsluice_(?!live_)\w+/g);
  const named = new Set([...asked].map(([name]) => name.replace(/_bucket$/, '')));
  expect([...named].sort()).toEqual([...exposed.keys()].filter(name => name.startsWith('sluice_')).sort());
});

test('the choices use a metric that exists', () => {
  const asked = variables.flatMap(({ definition }) => (definition ? askedBy(definition) : []));
  expect(asked).toHaveLength(2);
  for (const { name } of asked) expect(samplesOf(name).length).toBeGreaterThan(0);
  expect(variables.map(({ name }) => name)).toEqual(['datasource', 'job', 'instance']);
});

test('panels have different ids and places, and each has a description', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
  );
  expect(new Set(places).size).toBe(places.length);
  for (const { type, description } of panels) expect(type === 'row' || description!.length > 5).toBe(true);
});
