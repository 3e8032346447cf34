/** What was learned shows as the kinds of drift of the contract, in both modes, from the first known batch on. */
import { describe, expect, test } from 'bun:test';
import { Gate } from '../../bench/accuracy/gate.ts';
import { ENGINE as engine } from '../engine/screen-bytes.ts';
import { DRIFT_KINDS } from '../../src/report-schema/report.ts';
import { randomOf } from './adaptive/streams.ts';
import { cycle, type Row } from './batch.ts';

/** A source of these batches. */
const known = (batches: readonly Row[][]): Gate => {
  const gate = new Gate(engine, 'contract');
  for (const rows of batches) gate.judge(rows);
  return gate;
};

const before = (batch: number, size = 200): Row[] => {
  const random = randomOf(batch);
  return Array.from({ length: size }, (_, index) => ({
    id: `id${100_000 + batch * size + index}`,
    state: `v${random.below(4)}`,
    gone: 1 + random.below(9),
    typed: 1 + random.below(9),
    nulls: random.below(100),
    empties: `x${random.below(40)}`,
  }));
};
const BATCHES = Array.from({ length: 10 }, (_, i) => before(i));

const events = (gate: Gate, rows: Row[]) => gate.judge(rows, false).drift ?? [];
const severityOf = (gate: Gate, rows: Row[], kind: string, field: string) =>
  events(gate, rows).find(event => event.kind === kind && event.field === field)?.severity;

test('a batch can have all eight kinds of drift at once', () => {
  const now = cycle(2000, 4).map((state, index) => ({
    id: `id${index % 20}`,
    state: index < 300 ? 'new' : state,
    fresh: true,
    typed: 'x',
    nulls: index % 2 === 0 ? null : index % 100,
    empties: index % 5 === 0 ? '' : `x${index % 40}`,
  }));
  const drift = events(known(BATCHES), now);
  expect(new Set(drift.map(({ kind }) => kind))).toEqual(new Set(DRIFT_KINDS));
  const severities = new Map(drift.map(({ kind, field, severity }) => [`${kind} ${field}`, severity]));
  expect(severities.get('type_changed typed')).toBe('block');
  expect(severities.get('field_removed gone')).toBe('block');
  expect(severities.get('null_spike nulls')).toBe('block');
  expect(severities.get('empty_string_spike empties')).toBe('warn');
  expect(severities.get('row_count_anomaly *')).toBe('warn');
  expect(severities.get('new_enum_value state')).toBe('warn');
});

describe.each([1, 2, 3, 10])('after %i batches', count => {
  const gate = known(BATCHES.slice(0, count));
  const clean = before(99);

  test('a clean batch passes', () => {
    expect(gate.judge(clean, false).status).toBe('PASS');
  });

  test('a null rate that rose is a WARN, and a BLOCK from 0.4 more than usual', () => {
    const nulls = (share: number) =>
      clean.map((row, i) => (i < share * clean.length ? { ...row, typed: null } : row));
    expect(severityOf(gate, nulls(0.2), 'null_spike', 'typed')).toBe('warn');
    expect(severityOf(gate, nulls(0.395), 'null_spike', 'typed')).toBe('warn');
    expect(severityOf(gate, nulls(0.4), 'null_spike', 'typed')).toBe('block');
    expect(severityOf(gate, nulls(0.005), 'null_spike', 'typed')).toBeUndefined();
  });

  test('a unique field that has become constant is BLOCK', () => {
    const constant = clean.map(row => ({ ...row, id: 'id7' }));
    expect(severityOf(gate, constant, 'cardinality_change', 'id')).toBe('block');
  });

  test('four times the rows, or a quarter, are a WARN', () => {
    expect(severityOf(gate, before(98, 800), 'row_count_anomaly', '*')).toBe('warn');
    expect(severityOf(gate, before(98, 50), 'row_count_anomaly', '*')).toBe('warn');
  });

  test('numbers that are ten times as high are found', () => {
    const dear = clean.map(row => ({ ...row, nulls: (row.nulls as number) * 10 }));
    expect(gate.judge(dear, false).anomalies!.map(({ field }) => field)).toContain('nulls');
  });
});

test('a chunk of a larger batch is no row_count_anomaly', () => {
  const gate = known(BATCHES);
  const chunk = { batch_index: 1, total_batches: 2 };
  expect(gate.judge(before(98, 20), false, chunk).drift ?? []).toEqual([]);
});

test('a finding says what would have passed, and how often a clean batch is as unusual', () => {
  const gate = known(BATCHES);
  const rows = before(97).map((row, i) => (i % 2 ? { ...row, typed: null } : row));
  const { detail } = gate.judge(rows, false).anomalies!.find(({ statistic }) => statistic === 'null_rate')!;
  expect(detail).toMatch(
    /^Null rate in 'typed' rose from 0% to 50%. 0% to [\d.]+% would have passed. About one clean batch in [\d,]+ is as unusual$/,
  );
});
