/** Checks texts of Arrow and Parquet columns that are declared as JSON. It parses them in place, because JavaScript objects would take many times their bytes. */
import { Fault, Out, Tag } from './abi';
import { SENTINEL_BYTES, setOut } from './arena';
import { nested } from './json-values';
import { BAD, OPEN_BRACE, OPEN_BRACKET, setInput, setLines, whitespace } from './scan';

/** Of a longer text only the first bracket is looked at: a check of the whole would block the process for too long. */
const MAX_CHECKED_BYTES: u32 = 4 * 1024 * 1024;

const SAVED: usize = memory.data(<i32>SENTINEL_BYTES);

/** OBJECT or ARRAY if the `length` bytes at `at` are one, else STRING. */
export function tagOfJson(at: usize, length: u32): Tag {
  const to = at + length;
  // Scans stop on zeros, and other texts lie behind this one.
  memory.copy(SAVED, to, SENTINEL_BYTES);
  memory.fill(to, 0, SENTINEL_BYTES);
  const tag = tagWithin(at, to, length);
  memory.copy(to, SAVED, SENTINEL_BYTES);
  return tag;
}

function tagWithin(at: usize, to: usize, length: u32): Tag {
  setInput(to, true);
  setLines(false);
  const begin = whitespace(at), c: u32 = load<u8>(begin);
  // White space before an object is no reason to call it one: the engine reads its kind from its first byte.
  const isNested = c == OPEN_BRACKET || (c == OPEN_BRACE && begin == at);
  if (!isNested) return Tag.STRING;
  const end = length > MAX_CHECKED_BYTES ? to : nested(begin, 0);
  // A text that is not JSON must not fail the body: clear the error that the parser has set.
  setOut(Out.FAULT, <f64>Fault.NONE);
  if (end <= BAD || whitespace(end) != to) return Tag.STRING;
  return c == OPEN_BRACE ? Tag.OBJECT : Tag.ARRAY;
}
