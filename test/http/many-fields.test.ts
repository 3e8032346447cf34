/** Sources of thousands of fields: every field is watched, or the answer says that it is not. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { MAX_FIELDS } from '../../assembly/abi.ts';
import { MAX_TRACKED } from '../../src/baseline/limits.ts';
import { get } from './asking.ts';
import { batch, SCALE_KEY, Service } from './service.ts';
import { say } from './teaching.ts';

const ROWS = 12;
const nameOf = (i: number) => `field_${i}`;
/** Rows with these fields: texts, numbers and booleans by turns. */
const rowsOf = (from: number, to: number, changed: Record<string, unknown> = {}) =>
  Array.from({ length: ROWS }, (_, row) => {
    const fields = Array.from({ length: to - from }, (_, k) => {
      const i = from + k;
      const name = nameOf(i);
      const usual = i % 3 === 0 ? `text ${row}` : i % 3 === 1 ? i + row : row % 2 === 0;
      return [name, name in changed ? changed[name] : usual];
    });
    return Object.fromEntries(fields);
  });

async function learned(batches: [from: number, to: number][]): Promise<Service> {
  const service = new Service();
  for (const [from, to] of batches) {
    const { status, request_id } = (await service.post(batch(rowsOf(from, to)))).body;
    // One that lacks all known fields: it is learned where its owner says so.
    if (status === 'BLOCK') await say(service, 'feedback', { job_id: request_id, verdict: 'expected' });
  }
  return service;
}
/** Learns nothing: several tests may ask the same service. */
const judge = async (service: Service, rows: object[], options: object = {}) =>
  (await service.post(batch(rows, { options: { dry_run: true, ...options } }))).body;
type Event = { kind: string; field: string; severity: string };
const kindsOf = ({ drift = [] }: { drift?: Event[] }, kind: string): string[] =>
  drift.filter(event => event.kind === kind).map(({ field }) => field);

describe('a batch of 2,000 fields', () => {
  const WATCHED = [0, 1, 2, 500, 700, 1100, 1269, 1270, 1271, 1500, 1998, 1999];

  test('is a BLOCK if any field has changed its type', async () => {
    const young = await learned([
      [0, MAX_FIELDS],
      [0, MAX_FIELDS],
    ]);
    expect(await judge(young, rowsOf(0, MAX_FIELDS))).not.toMatchObject({ status: 'BLOCK' });
    for (const i of WATCHED) {
      const report = await judge(young, rowsOf(0, MAX_FIELDS, { [nameOf(i)]: { no: 1 } }));
      expect([i, report.status, kindsOf(report, 'type_changed')]).toEqual([i, 'BLOCK', [nameOf(i)]]);
      expect(report.stats.untracked_fields).toBeUndefined();
    }
    const names = Array.from({ length: 10 }, (_, i) => nameOf(1980 + i));
    const ten = await judge(young, rowsOf(0, MAX_FIELDS, Object.fromEntries(names.map(name => [name, [1]]))));
    expect([ten.status, kindsOf(ten, 'type_changed')]).toEqual(['BLOCK', names]);
  });

  let service: Service;
  beforeAll(async () => {
    service = await learned(Array.from({ length: 4 }, () => [0, MAX_FIELDS]));
  }, 240_000);

  test('is told of nulls in any field', async () => {
    const report = await judge(service, rowsOf(0, MAX_FIELDS, { [nameOf(1999)]: null }));
    expect(Object.keys(report.issues.null_rates)).toEqual([nameOf(1999)]);
    expect(kindsOf(report, 'null_spike')).toEqual([nameOf(1999)]);
  });

  test('has no finding about the values of fields of which none are kept', async () => {
    const report = await judge(service, rowsOf(0, MAX_FIELDS), { mode: 'adaptive' });
    const brief = Number(nameOf(1999).split('_')[1]);
    const about = [...(report.anomalies ?? []), ...(report.drift ?? [])].filter(
      ({ field }: { field: string }) => Number(field.split('_')[1]) > brief - 500,
    );
    expect(about).toEqual([]);
  });
});

describe('a source of 4,000 fields in two kinds of batches', () => {
  let service: Service;
  beforeAll(async () => {
    service = await learned([
      [0, MAX_FIELDS],
      [MAX_FIELDS, MAX_TRACKED],
    ]);
  }, 240_000);

  test('has all of them in its baseline', async () => {
    const { body } = await get(service, '/v1/schema/orders', SCALE_KEY);
    const fields = Object.entries<{ type: string; presence: number; null_rate: number }>(body.fields);
    expect(fields).toHaveLength(MAX_TRACKED);
    const types = ['string', 'number', 'boolean'];
    for (const [name, { type, presence, null_rate }] of fields) {
      expect(type).toBe(types[Number(name.split('_')[1]) % 3]!);
      expect([presence > 0, null_rate < 1]).toEqual([true, true]);
    }
  });

  test('says of one more that it is not compared, in the stats and in the reason', async () => {
    const extra = rowsOf(0, MAX_FIELDS - 2).map(row => ({ ...row, more: 1, 'and more': 2 }));
    const { status, decision, stats } = await judge(service, extra);
    expect(stats.untracked_fields).toEqual(['more', 'and more']);
    expect(decision.reason).toEndWith('. 2 fields not compared: the baseline has no room');
    const one = await judge(
      service,
      rowsOf(0, 10).map(row => ({ ...row, more: 1 })),
    );
    expect(one.decision.reason).toEndWith('. 1 field not compared: the baseline has no room');
    expect(['PASS', 'WARN', 'BLOCK']).toContain(status);
    const none = await judge(service, rowsOf(0, MAX_FIELDS));
    expect(none.decision.reason).not.toContain('not compared');
    expect(none.stats.untracked_fields).toBeUndefined();
  });
});
