import { expect, test } from 'bun:test';
import fc from 'fast-check';
import '../../property/seed.ts';
import { ChunkedFraming } from '../../../src/http/wire/framing.ts';
import { ITEM_BYTES, TURN_BYTES } from '../../../src/http/wire/turns.ts';

const chunked = (chunks: readonly string[], extension = ''): string =>
  `${chunks.map(each => `${each.length.toString(16)}${extension}\r\n${each}\r\n`).join('')}0\r\n\r\n`;

/** Pieces of the body in each turn, fed until its end. */
function fed(text: string): string[][] {
  const framing = new ChunkedFraming();
  const turns: string[][] = [];
  for (let rest = Buffer.from(text, 'latin1'); !framing.done; ) {
    const pieces: Buffer[] = [];
    const taken = framing.feed(rest, piece => void pieces.push(piece));
    expect(taken).toBeGreaterThan(0);
    rest = rest.subarray(taken);
    turns.push(pieces.map(String));
  }
  return turns;
}

test('chunks of a byte are one piece of the body in each turn, and a turn ends after its work', () => {
  const turns = fed(chunked(Array.from({ length: 10_000 }, (_, i) => String(i % 10))));
  expect(turns.flat().join('')).toBe('0123456789'.repeat(1000));
  // A chunk is three items: its size, its byte and its line end.
  const chunksInTurn = Math.ceil(TURN_BYTES / ITEM_BYTES / 3);
  for (const pieces of turns) {
    expect(pieces.length).toBeLessThanOrEqual(1);
    expect((pieces[0] ?? '').length).toBeLessThanOrEqual(chunksInTurn);
  }
});

test('chunks of any sizes with any extensions are the body, wherever turns end', () => {
  const chunk = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 300 });
  const extension = fc.constantFrom('', ';a', `;a="${'b'.repeat(3000)}"`);
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 400 }), extension, (chunks, name) => {
      expect(fed(chunked(chunks, name)).flat().join('')).toBe(chunks.join(''));
    }),
    { numRuns: 50 },
  );
});

test('what came before a fault is passed on', () => {
  const framing = new ChunkedFraming();
  const pieces: string[] = [];
  const feed = () =>
    framing.feed(Buffer.from('1\r\na\r\n1\r\nb\r\nx\r\n'), piece => void pieces.push(String(piece)));
  expect(feed).toThrow('A chunk has no valid size');
  expect(pieces).toEqual(['ab']);
});
