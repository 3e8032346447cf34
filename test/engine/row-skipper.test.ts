/** Rows and lines of CSV are counted as a loop over the bytes counts them. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import '../property/seed.ts';
import fc from 'fast-check';
import { Format } from '../../assembly/abi.ts';
import { compileEngine, Engine } from '../../src/engine/engine.ts';
import { RowSkipper } from '../../src/engine/row-skipper.ts';

const module = await compileEngine(await Bun.file(join(import.meta.dir, '../../build/engine.wasm')).bytes());
const engine = new Engine(module, 1024);

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

test('the counts do not depend on where pieces end', () => {
  const byte = fc.constantFrom(0x22, 0x0a, 0x61, 0x61, 0x2c, 0xe9);
  const skipper = new RowSkipper(module, 1024);
  fc.assert(
    fc.property(
      fc.array(byte, { maxLength: 600 }),
      fc.nat(600),
      fc.integer({ min: 1, max: 40 }),
      (bytes, cut, most) => {
        const text = Uint8Array.from(bytes);
        skipper.piece.set(text);
        skipper.begin();
        let [at, rows, lines] = [0, 0, 0];
        for (const end of [Math.min(cut, text.length), text.length])
          while (at < end) {
            const skipped = skipper.skip(at, end, most);
            at += skipped.bytes;
            rows += skipped.rows;
            lines += skipped.lines;
            expect(at).toBeLessThanOrEqual(end);
            expect({ rows, lines }).toEqual(counted(text, at));
            if (skipped.rows === most) expect(text[at - 1]).toBe(0x0a);
            else expect(at).toBe(end);
          }
      },
    ),
    { numRuns: 2000 },
  );
});

test('the n-th line feed is found, also within quotes', () => {
  engine.begin({ format: Format.CSV, delimiter: 0x2c, salt: new Uint8Array(32) });
  const byte = fc.constantFrom(0x22, 0x0a, 0x61, 0x0d);
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 400 }), fc.integer({ min: 1, max: 90 }), (bytes, lines) => {
      const feeds = [...bytes.keys()].filter(i => bytes[i] === 0x0a);
      const end = feeds.length < lines ? bytes.length : feeds[lines - 1]! + 1;
      expect(engine.bytesOfLines(Uint8Array.from(bytes), lines)).toBe(end);
    }),
  );
});
