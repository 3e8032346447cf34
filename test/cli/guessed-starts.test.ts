/** Guessed starts are right where cells are quoted as RFC 4180 says and each row ends with a line feed. */
import { afterAll, expect, test } from 'bun:test';
import { MAX_ROWS } from '../../assembly/abi.ts';
import type { Position } from '../../src/cli/file-batch.ts';
import { GuessedStarts } from '../../src/cli/guessed-starts.ts';
import { localScreener } from '../../src/cli/local-screener.ts';
import { noMemory } from '../../src/cli/local-store.ts';
import { sharedFile } from '../../src/cli/shared-file.ts';
import { takeTurn } from '../../src/cli/turn.ts';
import { READING } from './quiet-reading.ts';
import { Folder } from './sluice.ts';

const folder = new Folder();
afterAll(() => folder.remove());
const screener = await localScreener(noMemory());
const { module } = screener;

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

function guessedIn(file: string, from: Position): Position[] {
  const starts = new GuessedStarts(file, Bun.file(file).size, module);
  starts.begin(from);
  const guessed: Position[] = [];
  for (let next = starts.next(); next !== null; next = starts.next()) guessed.push(next);
  expect(starts.next()).toBeNull();
  starts.close();
  return guessed;
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
    expect(guessedIn(file, first!)).toEqual(others);
  }
});

test.each(['\n', '\r\n'])(
  'batches that have too many cells for 10,000 rows are as long as the first one: %j',
  async end => {
    const header = Array.from({ length: 300 }, (_, i) => `c${i}`).join(',');
    const file = await folder.write(
      'cells.csv',
      `${header}${end}${`${'1,'.repeat(299)}1${end}`.repeat(20_000)}`,
    );
    const [first, ...others] = await startsOf(file);
    expect(others).not.toBeEmpty();
    expect(guessedIn(file, first!)).toEqual(others);
  },
);

test('guesses nothing for a batch that would be too large, or a file that cannot be read', async () => {
  const rows = Array.from({ length: 2 * MAX_ROWS }, (_, i) => `${i},x`);
  const file = await folder.write('open.csv', `a,b\n${rows.with(15_000, '5" pipe,x').join('\n')}\n`);
  const [first] = await startsOf(file);
  expect(guessedIn(file, first!)).toEqual([]);

  const from = { offset: 4, rows: 1, line: 2, batches: 1, opening: new Uint8Array(), openingLines: 1 };
  const long = await folder.write('long.csv', `a,b\n1,"${'x'.repeat(40_000_000)}"\n1,2\n`);
  expect(guessedIn(long, from)).toEqual([]);
  const gone = new GuessedStarts(folder.at('gone.csv'), 1e6, module);
  gone.begin(from);
  expect(gone.next()).toBeNull();
  gone.close();
});
