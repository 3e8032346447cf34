/** JSON values that are checked and not stored: what stands around the rows, and nested values in a cell. */
import { Fault, Kind, MAX_DEPTH } from './abi';
import { stringEnd } from './escapes';
import { numberEnd } from './number';
import {
  BAD, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, end, fail, final, MINUS, MORE, OPEN_BRACE, OPEN_BRACKET, QUOTE, unexpected, whitespace,
} from './scan';

/** The letters as bytes, the first in the lowest. */
export const TRUE_LETTERS: u64 = 0x65757274, FALSE_LETTERS: u64 = 0x65736c6166, NULL_LETTERS: u64 = 0x6c6c756e;

/** The kind of value that begins with this byte; ABSENT for none. */
export function kindOf(c: u32): Kind {
  if (c == OPEN_BRACE) return Kind.OBJECT;
  if (c == OPEN_BRACKET) return Kind.ARRAY;
  if (c == QUOTE) return Kind.STRING;
  if (c == MINUS || c - 48 < 10) return Kind.NUMBER;
  if (c == 0x74) return Kind.TRUE;
  if (c == 0x66) return Kind.FALSE;
  if (c == 0x6e) return Kind.NULL;
  return Kind.ABSENT;
}

/** The end of `true`, `false` or `null`. */
// @ts-ignore: decorator
@inline export function literalEnd(p: usize, letters: u64, length: usize): usize {
  if ((load<u64>(p) & ((<u64>1 << (length << 3)) - 1)) == letters) return p + length;
  return unexpected(p + <usize>(ctz((load<u64>(p) ^ letters)) >> 3));
}

/** The end of a value inside `depth` open brackets. Where the body may go on, a number at the end of the arrived bytes may, too. */
export function value(p: usize, depth: u32): usize {
  const to = anyValue(p, depth);
  return to >= end && !final && kindOf(load<u8>(p)) == Kind.NUMBER ? MORE : to;
}

/** The same, but a number ends where its digits do. */
function anyValue(p: usize, depth: u32): usize {
  const c: u32 = load<u8>(p);
  if (c == QUOTE) {
    const to = stringEnd(p + 1);
    return to <= BAD ? to : to + 1;
  }
  if (c == OPEN_BRACE || c == OPEN_BRACKET) return nested(p, depth);
  if (c == 0x74) return literalEnd(p, TRUE_LETTERS, 4);
  if (c == 0x66) return literalEnd(p, FALSE_LETTERS, 5);
  if (c == 0x6e) return literalEnd(p, NULL_LETTERS, 4);
  const to = numberEnd(p);
  return to < 0 ? unexpected(<usize>-to) : <usize>to;
}

/** The end of an object or array inside `depth` open brackets. `kinds` has a bit for each bracket: 1 for an object. */
export function nested(p: usize, depth: u32): usize {
  let kinds: u64 = 0;
  const outside = depth;
  while (true) {
    // p is at an opening bracket
    if (p >= end) return MORE;
    if (++depth > <u32>MAX_DEPTH) return fail(Fault.DEPTH, p);
    const object = load<u8>(p) == OPEN_BRACE;
    kinds = (kinds << 1) | <u64>object;
    p = whitespace(p + 1);
    let c: u32 = load<u8>(p);
    let first = true;
    while (true) {
      // p is behind an opening bracket (`first`), or behind a value
      const inObject = (kinds & 1) != 0;
      if (c == (inObject ? CLOSE_BRACE : CLOSE_BRACKET)) {
        kinds >>= 1;
        p++;
        if (--depth == outside) return p;
        first = false;
        p = whitespace(p);
        c = load<u8>(p);
        continue;
      }
      if (!first) {
        if (c != COMMA) return unexpected(p);
        p = whitespace(p + 1);
      }
      first = false;
      if (inObject) {
        p = keyEnd(p);
        if (p <= BAD) return p;
      }
      c = load<u8>(p);
      if (c == OPEN_BRACE || c == OPEN_BRACKET) break;
      p = anyValue(p, depth);
      if (p <= BAD) return p;
      p = whitespace(p);
      c = load<u8>(p);
    }
  }
}

/** From a key's opening quote to the value behind its colon. */
function keyEnd(p: usize): usize {
  if (load<u8>(p) != QUOTE) return unexpected(p);
  p = stringEnd(p + 1);
  if (p <= BAD) return p;
  p = whitespace(p + 1);
  return load<u8>(p) == COLON ? whitespace(p + 1) : unexpected(p);
}
