/** Brackets and strings in the bytes of JSON. */

const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The index of the bracket that closes the first array at or after `from`; -1 if it is never closed. */
export function arrayEnd(json: Uint8Array, from = 0): number {
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = stringEnd(json, at);
    else if (byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACKET && --depth === 0) return at;
  }
  return -1;
}

/** The index of the quote that closes the string which opens at `at`, or the length of the bytes. */
export function stringEnd(json: Uint8Array, at: number): number {
  let end = at + 1;
  while (end < json.length && json[end] !== QUOTE) end += json[end] === BACKSLASH ? 2 : 1;
  return end;
}
