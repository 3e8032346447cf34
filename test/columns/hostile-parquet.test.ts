/** What a Parquet body of few bytes can make the program do: every limit, and how long it may take. */
import { describe, expect, test } from 'bun:test';
import { MAX_CELLS } from '../../assembly/abi.ts';
import { T } from '../../src/columns/parquet/thrift.ts';
import { quoted } from '../../src/terms/errors.ts';
import {
  chunk,
  fileOf,
  group,
  integer,
  joined,
  leaf,
  list,
  page,
  root,
  struct,
  text,
  varint,
  wideParquet,
} from './parquet-bytes.ts';
import { MAX_BYTES, readParquet as read } from './read-parquet.ts';

const VALUE = new Uint8Array([7, 0, 0, 0]);
const ONE = page(1, VALUE);
const SCHEMA = list(T.STRUCT, [root(1), leaf('a')]);
const groups = (...all: ReturnType<typeof group>[]) => list(T.STRUCT, all);
/** A column of one value that has these pages. */
const withPages = (pages: Uint8Array, values = 1) =>
  fileOf(pages, SCHEMA, groups(group([chunk('a', values, 4, pages.length)], values)));
const LIST = list(T.STRUCT, [root(1), struct({ 1: integer(1), 3: integer(2), 4: text('a') })]);
const FULL = page(MAX_CELLS + 1, VALUE);
const MANY_VALUES = fileOf(FULL, LIST, groups(group([chunk('a', MAX_CELLS + 1, 4, FULL.length)], 100)));
const withDirectory = (more: Parameters<typeof fileOf>[3]) =>
  fileOf(ONE, SCHEMA, groups(group([chunk('a', 1, 4, ONE.length)], 1)), more);
/** How many steps there may be: a `Fault.WORK`. */
const MOST_STEPS = '16,000,000';
/** Of processor time, for what is refused early or has few values, and for all that a body may ask for: well below the default of BATCH_SECONDS. */
const [SHORT_MS, LONG_MS] = [500, 5000];
const filled = (count: number, byte: number) => new Uint8Array(count).fill(byte);

describe('a Parquet file', () => {
  test('of one value is read', () => {
    expect(read(withPages(ONE))).toMatchObject({ rows: 1, refusal: null });
  });

  test('of 2,000 columns is read in less than half a second of processor time', () => {
    const { ms, rows } = read(wideParquet(2000, 10, column => `field_${column}`));
    expect(rows).toBe(10);
    expect(ms).toBeLessThan(SHORT_MS);
  });

  test.each([
    ['empty lists', { 5: { type: T.LIST, bytes: joined([[0xf9, 0xc0, 0x84, 0x3d], filled(1_000_000, 9)]) } }],
    ['numbers', { 5: { type: T.LIST, bytes: joined([[0xf5, 0xc0, 0x84, 0x3d], filled(1_000_000, 1)]) } }],
    ['flags', { 5: { type: T.STRUCT, bytes: joined([filled(1_000_000, 0x11), [0]]) } }],
  ])('whose directory has a million %s is walked in less than half a second', (_, more) => {
    const { ms, refusal } = read(withDirectory(more));
    expect(refusal).toBeNull();
    expect(ms).toBeLessThan(SHORT_MS);
  });

  test('whose page has a million lists in its header is read in less than half a second', () => {
    const lists = list(T.LIST, Array(1_000_000).fill({ bytes: [9] }));
    const { ms, rows } = read(withPages(page(1, VALUE, { 9: lists })));
    expect(rows).toBe(1);
    expect(ms).toBeLessThan(SHORT_MS);
  });

  test.each<[string, string, Uint8Array]>([
    ['a list of nothing', 'a list of nothing', withDirectory({ 5: list(T.STOP, [], 2 ** 40) })],
    ['a list longer than the file', 'cannot be read', withDirectory({ 5: list(T.BYTE, [], 2 ** 40) })],
    [
      'values nested 300 deep',
      'nested too deep',
      withDirectory({ 5: { type: T.STRUCT, bytes: filled(300, 0x1c) } }),
    ],
    [
      'a number of eleven bytes',
      'too many bytes',
      withDirectory({ 5: { type: T.I64, bytes: filled(11, 0x81) } }),
    ],
    ['a type that Parquet lacks', 'a value of type 11', withDirectory({ 5: { type: 11, bytes: [] } })],
    [
      'a schema of 10,001 elements',
      'its schema has 10001 elements',
      fileOf(ONE, list(T.STRUCT, [], 10_001), groups()),
    ],
    ['100,001 row groups', 'it has 100001 row groups', fileOf(ONE, SCHEMA, list(T.STRUCT, [], 100_001))],
    ['a row group without a number of rows', 'no number of rows', fileOf(ONE, SCHEMA, groups(struct({})))],
    [
      'a page of more bytes than a body',
      'a page of 8,388,609 bytes; at most 8,388,608 are read',
      withPages(joined([page(1, filled(MAX_BYTES + 1, 0))])),
    ],
    ['a page of more values than a batch', 'a page of 2,000,001 values', MANY_VALUES],
  ])('with %s is refused at once', (_, reason, bytes) => {
    const { ms, refusal } = read(bytes);
    expect(refusal).toContain(reason);
    expect(ms).toBeLessThan(SHORT_MS);
  });

  const NAME = `a'\u202e\n${'x'.repeat(1000)}`;
  const namedSchema = list(T.STRUCT, [root(1), leaf(NAME)]);
  const named = (rows: number, at = 4, pages = ONE) =>
    fileOf(pages, namedSchema, groups(group([chunk(NAME, 1, at, pages.length)], rows)));
  test.each<[string, Uint8Array]>([
    ['lies outside of the file', named(1, 1e9)],
    ['has 1 values, and its row group 2 rows', named(2)],
    ['has 5 values', named(1, 4, page(5, VALUE))],
    ['a row group lacks the column', fileOf(ONE, namedSchema, groups(group([], 1)))],
  ])('whose column %s is refused with the name of the column escaped and cut', (reason, bytes) => {
    const refusal = read(bytes).refusal!;
    expect(refusal).toContain(reason);
    expect(refusal).toContain(quoted(NAME));
    expect(refusal).toMatch(/^[\x20-\x7e…]{1,250}$/);
  });

  test.each([T.TRUE, T.FALSE])(
    'may have a boolean of type %d, which has no bytes, in its directory and its groups',
    type => {
      const flag = { type, bytes: [] };
      expect(read(withDirectory({ 5: flag, 6: text('writer'), 7: flag }))).toMatchObject({
        rows: 1,
        refusal: null,
      });
      const chunks = list(T.STRUCT, [chunk('a', 1, 4, ONE.length)]);
      const flagged = struct({ 1: chunks, 2: flag, 3: integer(1, T.I64), 4: flag });
      expect(read(fileOf(ONE, SCHEMA, groups(flagged)))).toMatchObject({ rows: 1, refusal: null });
    },
  );

  test('may have a page whose header has 8 MiB and no more', () => {
    const sized = (bytes: number) => page(1, VALUE, { 9: text('x'.repeat(bytes)) });
    const most = 8 * 1024 * 1024;
    const others = sized(most).length - VALUE.length - most;
    expect(read(withPages(sized(most - others)))).toMatchObject({ rows: 1, refusal: null });
    expect(read(withPages(sized(most - others + 1))).refusal).toContain(
      'the header of a page cannot be read',
    );
  });

  test('may have 200,000 column chunks and pages and no more', () => {
    const empty = page(0, new Uint8Array());
    const { ms, refusal } = read(withPages(joined([...Array<Uint8Array>(199_999).fill(empty), ONE])));
    expect(refusal).toBe(MOST_STEPS);
    expect(ms).toBeLessThan(LONG_MS);
  });

  test('may have pages of 16,000,000 times eight bytes, and no more', () => {
    // Every row group has the same page, of 1,048,577 steps and 80 for itself and its chunk each.
    const large = page(1, filled(MAX_BYTES, 0).subarray(0, MAX_BYTES));
    const times = (count: number) =>
      fileOf(large, SCHEMA, groups(...Array(count).fill(group([chunk('a', 1, 4, large.length)], 1))));
    expect(read(times(15))).toMatchObject({ rows: 15, refusal: null });
    const { ms, refusal } = read(times(16));
    expect(refusal).toBe(MOST_STEPS);
    expect(ms).toBeLessThan(LONG_MS);
  });

  test('may have 16,000,000 values at all levels together, and no more', () => {
    // Each page has the most values, all of one row, and 250,000 bytes.
    const flags = new Uint8Array(MAX_CELLS / 8);
    const levels = (begin: number) => {
      const runs = joined([...(begin ? [[2, 0]] : []), [...varint(2 * (MAX_CELLS - begin)), 1]]);
      return joined([new Uint8Array(new Uint32Array([runs.length]).buffer), runs]);
    };
    const pageOf = (begin: number) => page(MAX_CELLS, joined([levels(begin), levels(0), flags]));
    const schema = list(T.STRUCT, [root(1), struct({ 1: integer(0), 3: integer(2), 4: text('a') })]);
    const times = (count: number) => {
      const pages = joined([pageOf(1), ...Array<Uint8Array>(count - 1).fill(pageOf(0))]);
      return fileOf(pages, schema, groups(group([chunk('a', count * MAX_CELLS, 4, pages.length)], 1)));
    };
    expect(read(times(7))).toMatchObject({ rows: 1, refusal: null });
    const { ms, refusal } = read(times(8));
    expect(refusal).toBe(MOST_STEPS);
    expect(ms).toBeLessThan(LONG_MS);
  });

  test('may have 10,000 elements in its schema, and 100,000 row groups', () => {
    const leaves = Array.from({ length: 9999 }, (_, i) => leaf(`a${i}`));
    const schema = list(T.STRUCT, [root(1), struct({ 4: text('a'), 5: integer(9998) }), ...leaves.slice(1)]);
    const many = read(fileOf(ONE, schema, groups()));
    expect(many.refusal).toBeNull();
    expect(many.ms).toBeLessThan(LONG_MS);
    const empty = Array(99_999).fill(group([], 0));
    const last = group([chunk('a', 1, 4, ONE.length)], 1);
    expect(read(fileOf(ONE, SCHEMA, groups(...empty, last)))).toMatchObject({ rows: 1, refusal: null });
  });
});
