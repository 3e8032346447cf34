/** Batches have every row once and unchanged, however the bytes arrive. Compared with a slow reader of CSV. */
import { describe, expect, test } from 'bun:test';
import '../property/seed.ts';
import fc from 'fast-check';
import { groupsOf } from '../../src/client/batches.ts';
import { type Bytes, joined, piecesOf, withoutMark } from '../../src/client/content.ts';
import { CsvScanner, headed, LineScanner, recordsOf } from '../../src/client/records.ts';
import { SluiceError } from '../../src/client/index.ts';
import { Refused } from '../oracle/batch.ts';
import { readRecords } from '../oracle/csv.ts';
import { type CsvBody, csvBody, csvSoup } from '../property/csv-bodies.ts';
import { arrivals as ways } from '../property/pieces.ts';

/** Lengths of the pieces, used in rotation. */
type Pieces = readonly number[];
const arrivals = ways.map(({ pieces }): Pieces => pieces!);

const MOST = 1_000_000;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Pieces share the memory of one Buffer, like those of a file; slice() of a Buffer does not copy. */
async function* arriving(bytes: Uint8Array, pieces: Pieces): AsyncGenerator<Bytes> {
  const memory = Buffer.alloc(Math.max(...pieces));
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const piece = bytes.subarray(at, at + pieces[i % pieces.length]!);
    memory.set(piece);
    yield memory.subarray(0, piece.length);
    memory.fill(0x22);
    at += piece.length;
  }
}

async function csvBatches({ bytes, delimiter }: CsvBody, pieces: Pieces, rows: number): Promise<Bytes[]> {
  const scanner = new CsvScanner(delimiter.charCodeAt(0));
  const { header, rows: records } = await headed(
    recordsOf(withoutMark(arriving(bytes, pieces)), scanner, MOST),
  );
  const groups = await Array.fromAsync(groupsOf(records, { rows, bytes: MOST }));
  return groups.map(group => joined([header, ...group]));
}

/** Cells by record, or the error. */
function read(bytes: Uint8Array, delimiter: string): string[][] | Refused {
  try {
    return readRecords(bytes, delimiter).map(({ cells }) =>
      cells.map(({ text, quoted }) => `${quoted ? 'quoted' : 'plain'} ${text}`),
    );
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}

const bodies = fc.oneof({ weight: 2, arbitrary: csvBody(60) }, csvSoup);

test('batches of CSV have the rows of the file in order; a file that is rejected whole is rejected in one batch', async () => {
  const property = async (body: CsvBody, pieces: Pieces, rows: number) => {
    const whole = read(body.bytes, body.delimiter);
    const parts = (await csvBatches(body, pieces, rows)).map(bytes => read(bytes, body.delimiter));
    if (whole instanceof Refused) {
      expect(parts.some(part => part instanceof Refused)).toBe(true);
      return;
    }
    const [header, ...all] = whole;
    const batches = parts.map(part => part as string[][]);
    expect(batches.map(part => part[0])).toEqual(parts.map(() => header));
    expect(batches.flatMap(part => part.slice(1))).toEqual(all);
    expect(batches.map(part => part.length - 1)).toEqual(sizes(all.length, rows));
  };
  await fc.assert(fc.asyncProperty(bodies, arrivals, fc.integer({ min: 1, max: 20 }), property), {
    numRuns: 400,
  });
});

/** All except the last are full. */
const sizes = (count: number, each: number): number[] =>
  Array.from({ length: Math.ceil(count / each) }, (_, i) => Math.min(each, count - i * each));

test('batches of NDJSON have its lines in order, without blank ones', async () => {
  const line = fc.oneof(
    fc.record({ id: fc.nat(), text: fc.string({ unit: 'grapheme' }) }).map(row => JSON.stringify(row)),
    fc.constantFrom('', ' \t', '{"text":"\\n\\"}{"}'),
  );
  const property = async (lines: string[], end: string, pieces: Pieces, rows: number) => {
    const bytes = encoder.encode(lines.join(end));
    const records = recordsOf(arriving(bytes, pieces), new LineScanner(), MOST);
    const groups = await Array.fromAsync(groupsOf(records, { rows, bytes: MOST }));
    const texts = groups.map(group => decoder.decode(joined(group)));
    const given = lines.filter(text => text.trim() !== '');
    const found = texts.flatMap(text => text.split('\n').filter(each => each.trim() !== ''));
    expect(found.map(text => JSON.parse(text))).toEqual(given.map(text => JSON.parse(text)));
    expect(groups.map(group => group.length)).toEqual(given.length === 0 ? [0] : sizes(given.length, rows));
  };
  const ends = fc.constantFrom('\n', '\r\n');
  const lists = fc.array(line, { maxLength: 40 });
  await fc.assert(fc.asyncProperty(lists, ends, arrivals, fc.integer({ min: 1, max: 20 }), property), {
    numRuns: 200,
  });
});

test('each batch has as many rows as fit into its bytes', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(lengths, fc.integer({ min: 50, max: 200 }), async (each, bytes) => {
      const records = each.map(length => new Uint8Array(length));
      const groups = await Array.fromAsync(groupsOf(once(records), { rows: 7, bytes }));
      expect(groups.flat()).toEqual(records);
      const sums = groups.map(group => group.reduce((sum, { length }) => sum + length, 0));
      for (const [i, sum] of sums.entries()) {
        expect(sum).toBeLessThanOrEqual(bytes);
        const next = groups[i + 1]?.[0];
        if (next) expect(groups[i]!.length === 7 || sum + next.length > bytes).toBe(true);
      }
    }),
  );
});

async function* once<Value>(value: Value): AsyncGenerator<Value> {
  yield value;
}

describe('a quote that is never closed', () => {
  test('is found before the memory is full', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<Bytes> {
      yield encoder.encode('a,b\n"');
      for (; read < 1000; read++) yield encoder.encode('x,y\n'.repeat(25));
    }
    const error = await Array.fromAsync(recordsOf(endless(), new CsvScanner(0x2c), 1000)).catch(e => e);
    expect(error).toBeInstanceOf(SluiceError);
    expect(error).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
      message: expect.stringContaining('never closed'),
    });
    expect(read).toBeLessThan(20);
  });
});

test('large pieces of text or bytes are split, text between characters', async () => {
  const text = `a${'😀ü'.repeat(100_000)}`;
  for (const content of [text, encoder.encode(text), once(text)]) {
    const pieces = await Array.fromAsync(piecesOf(content));
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(4 * 64 * 1024);
    expect(decoder.decode(joined(pieces)) === text).toBe(true);
  }
});
