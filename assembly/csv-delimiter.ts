/** Whether CSV of one column has another delimiter: a character that every record holds, outside cells in quotes. */

const LF: u32 = 10, CR: u32 = 13, QUOTE: u32 = 34;

/** The delimiters to look for. Not the comma: texts contain commas. */
const SEMICOLON: u32 = 0x3b, TAB: u32 = 9, BAR: u32 = 0x7c;

/** The first of `;`, tab and `|` that every record in [p, to) holds; 0 where none does. Stops at the first record without any. */
export function delimiterOfAll(p: usize, to: usize, delimiter: u32): u32 {
  let inAll: u32 = 7, inRecord: u32 = 0, quoted = false, cellBegins = true, empty = true;
  for (; p < to; p++) {
    const c: u32 = load<u8>(p);
    if (quoted) {
      if (c != QUOTE) continue;
      if (p + 1 < to && load<u8>(p, 1) == QUOTE) p++;
      else quoted = false;
    } else if (c == LF || c == CR) {
      if (!empty) inAll &= inRecord;
      if (inAll == 0) return 0;
      inRecord = 0;
      cellBegins = true;
      empty = true;
    } else {
      quoted = c == QUOTE && cellBegins;
      cellBegins = c == delimiter;
      empty = false;
      inRecord |= <u32>(c == SEMICOLON) | (<u32>(c == TAB) << 1) | (<u32>(c == BAR) << 2);
    }
  }
  if (!empty) inAll &= inRecord;
  return inAll & 1 ? SEMICOLON : inAll & 2 ? TAB : inAll & 4 ? BAR : 0;
}
