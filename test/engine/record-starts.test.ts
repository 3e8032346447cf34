/** Records begin where a loop over the bytes says, however the text is cut into pieces. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import '../property/seed.ts';
import fc from 'fast-check';
import { Format } from '../../assembly/abi.ts';
import { CsvScanner, LineScanner } from '../../src/client/records.ts';
import { compileEngine } from '../../src/engine/engine.ts';
import { RecordScanner, RecordStarts } from '../../src/engine/record-starts.ts';

const module = await compileEngine(await Bun.file(join(import.meta.dir, '../../build/engine.wasm')).bytes());
const scanner = new RecordScanner(module);
const records = new RecordStarts(scanner);
/** Another text that is read meanwhile. */
const other = new RecordStarts(scanner);
const COMMA = 0x2c;

type Text = Uint8Array<ArrayBuffer>;

const OTHER = new TextEncoder().encode('"a,\n\\"b"\r\n{["c');

/** Where the records begin. */
function startsIn(text: Text, format: Format): number[] {
  const scanner = format === Format.CSV ? new CsvScanner(COMMA) : new LineScanner();
  const bounds = [0, ...scanner.ends(text), text.length];
  return bounds.slice(1).flatMap((end, i) => {
    const content = text.subarray(bounds[i], end).findIndex(byte => !scanner.blank.has(byte));
    return content < 0 ? [] : [bounds[i]! + content];
  });
}

function linesIn(text: Text, format: Format): number {
  const ends = format === Format.CSV ? /\r\n|\r|\n/g : /\n/g;
  return new TextDecoder('latin1').decode(text).match(ends)?.length ?? 0;
}

/** Passes the text in pieces that end at `cuts`, `most` records at a time. Returns the starts it stopped at, and the sums. */
function passed(text: Text, format: Format, cuts: number[], most: number) {
  records.begin(format, COMMA);
  records.read(text);
  other.begin(format === Format.CSV ? Format.JSON : Format.CSV, COMMA);
  other.read(OTHER);
  const stops: number[] = [];
  let [at, count, lines, inBatch] = [0, 0, 0, 0];
  let last: number | null = null;
  for (const end of [...cuts.map(cut => Math.min(cut, text.length)).sort((a, b) => a - b), text.length])
    while (at < end) {
      const pass = records.pass(at, end, most - inBatch);
      if (at % 3 === 0) other.pass(0, OTHER.length, 100);
      at += pass.bytes;
      count += pass.records;
      inBatch += pass.records;
      lines += pass.lines;
      last = pass.last ?? last;
      if (at < end) stops.push(at);
      if (at < end) inBatch = 0;
    }
  return { stops, count, lines, last };
}

function checkPassed(bytes: number[], format: Format, cuts: number[], most: number): void {
  const text = Uint8Array.from(bytes);
  const starts = startsIn(text, format);
  const { stops, count, lines, last } = passed(text, format, cuts, most);
  expect(count).toBe(starts.length);
  expect(lines).toBe(linesIn(text, format));
  expect(last).toBe(starts.at(-1) ?? null);
  expect(stops).toEqual(starts.filter((_, i) => i > 0 && i % most === 0));
}

const cuts = fc.array(fc.nat(900), { maxLength: 4 });
const most = fc.integer({ min: 1, max: 40 });

test('the records of any CSV text', () => {
  const byte = fc.constantFrom(0x22, 0x22, 0x0a, 0x0d, COMMA, 0x61, 0x61, 0xe9, 0x20);
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 900 }), cuts, most, (bytes, at, count) =>
      checkPassed(bytes, Format.CSV, at, count),
    ),
    { numRuns: 3000 },
  );
});

test('CSV as it is mostly written', () => {
  const cell = fc.constantFrom(
    '',
    'a',
    '1.5',
    '"x"',
    '"a\n""b"", c\r\n"',
    'a long text of many bytes',
    '5" pipe',
  );
  const row = fc.array(cell, { minLength: 1, maxLength: 6 }).map(cells => cells.join(','));
  const text = fc.array(fc.tuple(row, fc.constantFrom('\n', '\n', '\r\n', '\r', '\n\n')), { maxLength: 60 });
  fc.assert(
    fc.property(text, cuts, most, (rows, at, count) =>
      checkPassed([...Buffer.from(rows.flat().join(''))], Format.CSV, at, count),
    ),
    { numRuns: 2000 },
  );
});

test('NDJSON: blank lines are no records', () => {
  const byte = fc.constantFrom(0x7b, 0x22, 0x0a, 0x0a, 0x0d, 0x20, 0x20, 0x09, 0x61);
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 900 }), cuts, most, (bytes, at, count) =>
      checkPassed(bytes, Format.NDJSON, at, count),
    ),
    { numRuns: 3000 },
  );
});

test('JSON: the elements of an array, to its end', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('"', '\\', '\\"', '[{', '}]', '\\\\"{'),
  );
  const rows = fc.array(fc.dictionary(fc.string(), value), { maxLength: 20 });
  fc.assert(
    fc.property(rows, fc.constantFrom(0, 1), cuts, most, (elements, indent, at, count) => {
      const inner = elements.map(element => JSON.stringify(element, null, indent));
      const text = Buffer.from(`${inner.join(',\n ')}]`);
      const room = new Uint8Array(text.length + 5);
      room.set(text);
      records.begin(Format.JSON, 0);
      records.read(room);
      const stops: number[] = [];
      let [from, inBatch, total] = [0, 0, 0];
      for (const end of [...at.filter(cut => cut < room.length).sort((a, b) => a - b), room.length])
        while (from < end && !records.hasEnded) {
          const pass = records.pass(from, end, count - inBatch);
          from += pass.bytes;
          inBatch += pass.records;
          total += pass.records;
          if (from < end && !records.hasEnded) stops.push(from);
          if (from < end) inBatch = 0;
        }
      const starts = inner.map((_, i) =>
        Buffer.byteLength(
          inner
            .slice(0, i)
            .map(each => `${each},\n `)
            .join(''),
        ),
      );
      expect(records.hasEnded).toBe(true);
      expect(from).toBe(text.length);
      expect(total).toBe(inner.length);
      expect(stops).toEqual(starts.filter((_, i) => i > 0 && i % count === 0));
    }),
    { numRuns: 500 },
  );
});
