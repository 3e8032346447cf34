/** Integers of more than 53 bits are counted and compared by all their digits, whichever way they come: as JSON, NDJSON, CSV, Arrow or Parquet. */
import { expect, test } from 'bun:test';
import {
  Decimal,
  Field,
  Int64,
  RecordBatchStreamWriter,
  Schema,
  Table,
  Uint64,
  vectorFromArray,
} from 'apache-arrow';
import '../property/seed.ts';
import fc from 'fast-check';
import { Format } from '../../assembly/abi.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';
import { Service } from '../http/service.ts';
import { readJson } from '../oracle/json.ts';
import { profileOf } from '../oracle/profile.ts';

const service = new Service();
const ARROW = 'application/vnd.apache.arrow.stream';

type Integers = (bigint | null)[];

const jsonOf = (a: Integers, b: Integers): string =>
  `{"source":"s","rows":[${a.map((x, i) => `{"a":${x},"b":${b[i]}}`).join()}]}`;
const csvOf = (a: Integers, b: Integers): string =>
  `a,b\n${a.map((x, i) => `${x ?? ''},${b[i] ?? ''}\n`).join('')}`;
const arrowOf = (a: Integers, b: Integers, type: () => Int64 | Uint64): Uint8Array => {
  const table = new Table({ a: vectorFromArray(a, type()), b: vectorFromArray(b, type()) });
  return RecordBatchStreamWriter.writeAll(table).toUint8Array(true);
};

/** 2^53 and its neighbours, ids of 64 bits, and the ends of what fits. */
const near = (base: bigint) => fc.bigInt({ min: base - 3n, max: base + 3n });
const signed = fc.oneof(
  near(2n ** 53n),
  near(-(2n ** 53n)),
  near(2n ** 63n - 4n),
  near(-(2n ** 63n) + 3n),
  near(7n),
);
const unsigned = fc.oneof(near(2n ** 53n), near(2n ** 63n), near(2n ** 64n - 4n), near(7n));
const columns = (of: fc.Arbitrary<bigint>) =>
  fc
    .array(fc.tuple(fc.option(of, { freq: 6 }), fc.option(of, { freq: 6 })), { minLength: 1, maxLength: 40 })
    .map(pairs => [pairs.map(([a]) => a), pairs.map(([, b]) => b)] as const);

test('Arrow: distinct values and repeated rows are those of the oracle', () => {
  for (const [of, type] of [
    [signed, () => new Int64()],
    [unsigned, () => new Uint64()],
  ] as const)
    fc.assert(
      fc.property(columns(of), ([a, b]) => {
        const want = profileOf(readJson(new TextEncoder().encode(jsonOf(a, b))).batch!);
        const { profile } = screenBytes(ENGINE, arrowOf(a, b, type), { format: Format.ARROW });
        expect(profile!.duplicateRows).toBe(want.duplicateRows);
        expect(profile!.fields.map(field => field.measured.distinct)).toEqual(
          [...want.fields.values()].map(field => field.distinct),
        );
      }),
      { numRuns: 60 },
    );
});

const IDS: Integers = Array.from({ length: 60 }, (_, i) => 12_345_678_901_234_500n + BigInt(i));
const OTHERS: Integers = IDS.map((id, i) => (i === 7 ? id! + 1n : id));

async function reportOf(body: string | Uint8Array, type: string, rules: object) {
  const options = { dry_run: true, row_verdicts: true, rules };
  const headers = { 'Content-Type': type, 'X-Source': 's', 'X-Options': JSON.stringify(options) };
  const { status, body: report } = await service.post(body as string, headers);
  expect([status, report]).toEqual([200, expect.anything()]);
  return report;
}

const lines = (a: Integers, b: Integers): string => a.map((x, i) => `{"a":${x},"b":${b[i]}}\n`).join('');

test('ids that differ in the last digits only are unique, compared and ordered, whichever way they come', async () => {
  const rules = {
    fields: { a: { unique: true, monotonic: 'increasing' }, b: { unique: true } },
    compare: [{ left: 'a', op: '==', right: 'b' }],
  };
  for (const [body, type, first] of [
    [lines(IDS, OTHERS), 'application/x-ndjson', 0],
    [csvOf(IDS, OTHERS), 'text/csv', 2],
    [arrowOf(IDS, OTHERS, () => new Int64()), ARROW, 0],
    [arrowOf(IDS, OTHERS, () => new Uint64()), ARROW, 0],
  ] as const) {
    const { quarantine, schema } = await reportOf(body, type, rules);
    // Row 7 differs from its neighbour in the row, and has the id of row 8.
    expect(quarantine.rows.map(([row]: [number]) => row - first)).toEqual([7, 8]);
    expect(Object.keys(schema)).toEqual(['a', 'b']);
  }
});

test.each([
  ['<', [1, 2]],
  ['<=', [1]],
  ['>', [0, 2]],
  ['>=', [0]],
])('columns whose doubles are all equal are compared by their digits: a %s b', async (op, rows) => {
  const [a, b] = [
    [0n, 1n, 0n],
    [1n, 0n, 0n],
  ].map(column => column.map(last => 2n ** 60n + last)) as [Integers, Integers];
  const { quarantine } = await reportOf(lines(a, b), 'application/x-ndjson', {
    compare: [{ left: 'a', op, right: 'b' }],
  });
  expect(quarantine.rows.map(([row]: [number]) => row)).toEqual(rows);
});

test('the same integers have the same report as JSON, CSV and Arrow', async () => {
  const plain = async (body: string | Uint8Array, type: string) => {
    const {
      request_id: _,
      batch_id: __,
      latency_ms: ___,
      timestamp: ____,
      stats,
      ...rest
    } = await reportOf(body, type, {});
    return { ...rest, stats: { ...stats, row_numbers: null } };
  };
  const json = await plain(lines(IDS, OTHERS), 'application/x-ndjson');
  expect(await plain(csvOf(IDS, OTHERS), 'text/csv')).toEqual(json);
  expect(
    await plain(
      arrowOf(IDS, OTHERS, () => new Int64()),
      ARROW,
    ),
  ).toEqual(json);
});

test('decimals without a scale are such integers too', () => {
  const words = IDS.map(
    (_, i) => new Uint32Array(new BigInt64Array([9_007_199_254_740_992n + BigInt(i), 0n]).buffer),
  );
  const type = new Decimal(0, 38, 128);
  const table = new Table(new Schema([new Field('a', type, true)]), { a: vectorFromArray(words, type) });
  const bytes = RecordBatchStreamWriter.writeAll(table).toUint8Array(true);
  expect(screenBytes(ENGINE, bytes, { format: Format.ARROW }).profile!.fields[0]!.measured.distinct).toBe(60);
});

test('large doubles have no digits of integers, also where other ones were before', () => {
  const long = Array.from(
    { length: 50 },
    (_, i) => `{"a":${2 ** 53},"b":${9_007_199_254_740_993n + BigInt(i)}}`,
  );
  const floats = long.map((_, i) => `{"a":${i % 2 ? '9007199254740994.0' : '9007199254740994'},"b":1e300}`);
  for (const [rows, distinct] of [
    [long, [1, 50]],
    [floats, [1, 1]],
    [floats.map(row => row.replace('1e300', '1e999')), [1, 1]],
  ] as const) {
    const bytes = new TextEncoder().encode(`{"source":"s","rows":[${rows.join()}]}`);
    const { profile } = screenBytes(ENGINE, bytes);
    expect(profile!.fields.map(field => field.measured.distinct)).toEqual([...distinct]);
  }
});
