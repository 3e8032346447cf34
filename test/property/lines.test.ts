/** The line in a refusal is right for every kind of line end before it. */
import { expect, test } from 'bun:test';
import './seed.ts';
import fc from 'fast-check';
import { Format } from '../../assembly/abi.ts';
import { ENGINE, screenBytes } from '../engine/screen-bytes.ts';

const engine = ENGINE;

/** The line at which a body with a fault at its end is refused. */
function refusedLine(body: string, format: Format): number | undefined {
  return screenBytes(engine, new TextEncoder().encode(body), { format }).refused?.line;
}

test('counts lines of CSV with LF, CRLF and CR in any mixture', () => {
  const record = fc.constantFrom(
    '',
    '1',
    'ö',
    'a text that fills more than one vector',
    '"a\rb\r\n"',
    '"\n\r"',
  );
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(fc.array(fc.tuple(record, lineEnd), { maxLength: 80 }), records => {
      const before = `a\n${records.flat().join('')}`;
      const ends = before.match(/\r\n|\r|\n/g)!.length;
      expect(refusedLine(`${before}"open`, Format.CSV)).toBe(ends + 1);
    }),
    { numRuns: 500 },
  );
});

test('counts lines of NDJSON, in which only LF ends a line', () => {
  const piece = fc.constantFrom('\n', '\r\n', '{"a":1}\n', '{"a":"a long text to fill vectors"}\r\n', ' \n');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 80 }), pieces => {
      const before = pieces.join('');
      expect(refusedLine(`${before}{"a":}`, Format.NDJSON)).toBe(before.split('\n').length);
    }),
    { numRuns: 300 },
  );
});
