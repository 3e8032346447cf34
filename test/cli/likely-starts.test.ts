/** Batches begin where it is likely, if cells are quoted as RFC 4180 says and each row ends with a line feed. */
import { afterAll, expect, test } from 'bun:test';
import '../property/seed.ts';
import fc from 'fast-check';
import { MAX_ROWS } from '../../assembly/abi.ts';
import type { Position } from '../../src/cli/file-batch.ts';
import { LikelyStarts } from '../../src/cli/likely-starts.ts';
import { localScreener } from '../../src/cli/local-screener.ts';
import { noMemory } from '../../src/cli/local-store.ts';
import { sharedFile } from '../../src/cli/turns.ts';
import { takeTurn } from '../../src/cli/turn.ts';
import { RowCounter } from '../../src/engine/row-counter.ts';
import { Folder } from './sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());
const screener = await localScreener(noMemory());
const { module } = screener.engines;
const READING = {
  format: undefined,
  delimiter: undefined,
  charset: undefined,
  columns: undefined,
  isQuiet: true,
};

/** Where its batches begin, as parsing shows; without the first. */
async function startsOf(file: string): Promise<Position[]> {
  const shared = { ...(await sharedFile(file, READING, 0))!, typed: { source: 's', options: {} } };
  const starts: Position[] = [];
  for (let from: Position | null = null; ; starts.push(from)) {
    const turn = await takeTurn(shared, from, screener);
    await turn.screened();
    from = turn.next;
    if (from === null) return starts;
  }
}

function likelyIn(file: string, from: Position): Position[] {
  const starts = new LikelyStarts(file, Bun.file(file).size, module, from);
  const likely: Position[] = [];
  for (let next = starts.next(); next !== null; next = starts.next()) likely.push(next);
  expect(starts.next()).toBeNull();
  starts.close();
  return likely;
}

const LINES: [string, (i: number) => string][] = [
  ['plain', i => `${i},x\n`],
  ['CRLF', i => `${i},"${i}"\r\n`],
  ['line feeds and quotes in cells', i => `${i},"one\n""${i}""\n\n"\n`],
  ['rows longer than a piece', i => (i % 9000 === 11 ? `${i},"${'long\n'.repeat(70_000)}"\n` : `${i},x\n`)],
];

test.each(LINES)('starts of %s', async (name, line) => {
  for (const count of [MAX_ROWS + 1, 3 * MAX_ROWS, 3 * MAX_ROWS + 1]) {
    const rows = Array.from({ length: count }, (_, i) => line(i));
    const file = await folder.write(`${name}.csv`, `a,"b\nc"\n${rows.join('')}`);
    const [first, ...others] = await startsOf(file);
    expect(likelyIn(file, first!)).toEqual(others);
  }
});

test('batches that have too many cells for 10,000 rows are as long as the first one', async () => {
  const header = Array.from({ length: 300 }, (_, i) => `c${i}`).join(',');
  const file = await folder.write('cells.csv', `${header}\n${`${'1,'.repeat(299)}1\n`.repeat(20_000)}`);
  const [first, ...others] = await startsOf(file);
  expect(others).not.toBeEmpty();
  expect(likelyIn(file, first!)).toEqual(others);
});

/** Rows and lines before byte `end`, which may lie within a row. */
function counted(bytes: Uint8Array, end: number): { rows: number; lines: number } {
  let [rows, lines, isQuoted] = [0, 0, false];
  for (const byte of bytes.subarray(0, end)) {
    if (byte === 0x22) isQuoted = !isQuoted;
    if (byte !== 0x0a) continue;
    lines++;
    if (!isQuoted) rows++;
  }
  return { rows, lines };
}

test('rows are counted as byte by byte, wherever pieces end', () => {
  const byte = fc.constantFrom(0x22, 0x0a, 0x61, 0x61, 0x2c, 0xe9);
  const bytes = fc
    .uint8Array({ maxLength: 600 })
    .chain(({ length }) => fc.array(byte, { minLength: length, maxLength: length }));
  const counter = new RowCounter(module, 1024);
  fc.assert(
    fc.property(bytes, fc.nat(600), fc.integer({ min: 1, max: 40 }), (all, cut, wanted) => {
      const text = Uint8Array.from([0x0a, ...all]);
      // No row is left unfinished for the next run.
      if (all.filter(each => each === 0x22).length % 2 === 1) return;
      counter.piece.set(text);
      const middle = Math.min(cut, text.length);
      let [at, rows, lines] = [0, 0, 0];
      for (const end of [middle, text.length])
        while (at < end) {
          const passed = counter.pass(at, end, wanted);
          at += passed.bytes;
          rows += passed.rows;
          lines += passed.lines;
          expect(at).toBeLessThanOrEqual(end);
          expect({ rows, lines }).toEqual(counted(text, at));
          if (passed.rows === wanted) expect(text[at - 1]).toBe(0x0a);
          else expect(at).toBe(end);
        }
    }),
    { numRuns: 2000 },
  );
});
