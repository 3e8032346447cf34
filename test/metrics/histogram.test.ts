import { expect, test } from 'bun:test';
import fc from 'fast-check';
import prometheus, { Registry } from 'prom-client';
import { Histogram } from '../../src/metrics/histogram.ts';
import '../property/seed.ts';
import { familiesOf } from './exposition.ts';

const BOUNDS = [0.1, 1, 10];

/** What both say of the same values, as a scraper reads it. */
async function both(values: [label: string, value: number][]) {
  const [ours, theirs] = [new Registry(), new Registry()];
  const own = new Histogram('sizes', 'Sizes of things', ['of'], BOUNDS, ours);
  const labelNames = ['of'];
  const other = new prometheus.Histogram({
    name: 'sizes',
    help: 'Sizes of things',
    labelNames,
    buckets: BOUNDS,
    registers: [theirs],
  });
  for (const [label, value] of values) {
    own.of(label).observe(value);
    other.observe({ of: label }, value);
  }
  return [familiesOf(await ours.metrics()), familiesOf(await theirs.metrics())];
}

test("it gives the same text as prom-client's own histogram for any values", async () => {
  const label = fc.constantFrom('a', 'b', '__proto__', 'with "quotes"\n');
  const value = fc.oneof(fc.constantFrom(...BOUNDS, 0), fc.double({ min: 0, max: 20, noNaN: true }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(label, value)), async values => {
      const [own, theirs] = await both(values);
      expect(own).toEqual(theirs!);
    }),
  );
});

test('samples have the default labels, and empty series are left out', async () => {
  const registry = new Registry();
  registry.setDefaultLabels({ worker: '3' });
  const histogram = new Histogram('sizes', 'Sizes of things', ['of'], BOUNDS, registry);
  histogram.of('none');
  histogram.of('one').observe(2);
  const { samples } = familiesOf(await registry.metrics()).get('sizes')!;
  expect(samples).toHaveLength(BOUNDS.length + 3);
  expect(samples[3]).toEqual({
    name: 'sizes_bucket',
    labels: { worker: '3', of: 'one', le: '+Inf' },
    value: 1,
  });
});
