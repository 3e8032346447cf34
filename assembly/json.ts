/**
 * JSON bodies, read strictly (RFC 8259): `{ … "rows": [ {row}, {row}, … ] … }`. This file reads what stands around the
 * rows and remembers where `source` and `options` are; `json-rows.ts` reads the rows, for NDJSON bodies too.
 */
import { Fault, Kind, Out, Status } from './abi';
import { BODY, getOut, setOut, SHORT_NAME } from './arena';
import { clearColumns } from './column';
import { escaped, hashEscaped, stringEnd } from './escapes';
import { hashText } from './hash';
import { beginRows, readRows, resumeRows } from './json-rows';
import { kindOf, value } from './json-values';
import {
  BAD, behindMark, CLOSE_BRACE, COLON, COMMA, end, fail, final, MORE, OPEN_BRACKET, QUOTE, setInput, setLines, unexpected, whitespace,
} from './scan';

enum Stage { BEGIN, MEMBER, ROWS, TAIL, SCALAR }

let stage: Stage = Stage.BEGIN;
/** Each row stands on a line of its own, with nothing around the rows. */
let onLines: bool = false;
/** Where the next `feedJson` goes on, but within rows. */
let resume: usize = BODY;
let firstMember: bool = true;

/** Begins a body, or with `lines` an NDJSON body. */
export function beginJson(lines: bool): void {
  onLines = lines;
  stage = lines ? Stage.ROWS : Stage.BEGIN;
  resume = BODY;
  firstMember = true;
  setLines(lines);
  beginRows(BODY, lines);
}

/** Everything before this address is parsed. */
export function resumeJson(): usize { return stage == Stage.ROWS ? resumeRows : resume; }

/** Parses what lies in [BODY, to); `last` when nothing follows. */
export function feedJson(to: usize, last: bool): Status {
  setInput(to, last);
  const at = advance();
  if (at != MORE) return at == BAD ? Status.FAILED : Status.DONE;
  if (!final) return Status.MORE;
  fail(Fault.TRUNCATED, end);
  return Status.FAILED;
}

/** MORE, BAD, or the end of the body. */
function advance(): usize {
  if (stage == Stage.BEGIN) {
    const p = beginBody();
    if (p <= BAD) return p;
  }
  if (stage == Stage.SCALAR) return scalarBody();
  while (stage != Stage.TAIL) {
    const p = stage == Stage.ROWS ? rows() : member();
    if (p <= BAD) return p;
    resume = p;
  }
  const p = whitespace(resume);
  resume = p; // so that white space is not read again with every piece
  if (p < end) return unexpected(p);
  return final ? p : MORE;
}

function rows(): usize {
  const p = readRows();
  if (p <= BAD) return p;
  stage = onLines ? Stage.TAIL : Stage.MEMBER;
  if (!onLines) setOut(Out.ROWS_LENGTH, <f64>(p - 1 - BODY) - getOut(Out.ROWS_OFFSET));
  return p;
}

function beginBody(): usize {
  if (resume == BODY) resume = behindMark();
  const value = whitespace(resume);
  resume = value;
  if (value >= end) return MORE;
  const c: u32 = load<u8>(value);
  const kind = kindOf(c);
  if (kind == Kind.ABSENT) return unexpected(value);
  setOut(Out.TOP, <f64>kind);
  resume = kind == Kind.OBJECT ? value + 1 : value;
  stage = kind == Kind.OBJECT ? Stage.MEMBER : Stage.SCALAR;
  return resume;
}

/** A body that is one value and no object: checked, so that the answer is clear. */
function scalarBody(): usize {
  const p = value(resume, 0);
  if (p <= BAD) return p;
  const after = whitespace(p);
  if (after < end) return unexpected(after);
  return final ? after : MORE;
}

/** One member of the body, or its closing bracket. Afterwards `stage` says what follows. */
function member(): usize {
  let p = whitespace(resume);
  resume = p;
  let c: u32 = load<u8>(p);
  if (c == CLOSE_BRACE) { stage = Stage.TAIL; return p + 1; }
  if (!firstMember) {
    if (c != COMMA) return unexpected(p);
    p = whitespace(p + 1);
    c = load<u8>(p);
  }
  if (c != QUOTE) return unexpected(p);
  const keyAt = p + 1, keyEnd = stringEnd(keyAt);
  if (keyEnd <= BAD) return keyEnd;
  // Values are strings, too: the next `stringEnd` overwrites `escaped`.
  const keyEscaped = escaped;
  p = whitespace(keyEnd + 1);
  if (load<u8>(p) != COLON) return unexpected(p);
  const at = whitespace(p + 1);
  if (at >= end) return MORE;
  if (isKey(keyAt, keyEnd, keyEscaped, ROWS_KEY, 4)) return rowsMember(at);
  p = value(at, 1);
  if (p <= BAD) return p;
  firstMember = false;
  if (isKey(keyAt, keyEnd, keyEscaped, SOURCE_KEY, 6)) noteMember(Out.SOURCE_KIND, at, p);
  else if (isKey(keyAt, keyEnd, keyEscaped, OPTIONS_KEY, 7)) noteMember(Out.OPTIONS_KIND, at, p);
  return p;
}

/** The value of `rows`. When the body has two, the last one counts. */
function rowsMember(at: usize): usize {
  const c: u32 = load<u8>(at);
  if (c != OPEN_BRACKET) return kindOf(c) == Kind.ABSENT ? unexpected(at) : fail(Fault.ROWS_NOT_ARRAY, at);
  clearColumns();
  setOut(Out.HAS_ROWS, 1);
  setOut(Out.ROWS_OFFSET, <f64>(at + 1 - BODY));
  beginRows(at + 1, false);
  firstMember = false;
  stage = Stage.ROWS;
  return at + 1;
}

/** Writes kind, offset and length of a top-level value to three entries of the results. */
function noteMember(first: Out, at: usize, to: usize): void {
  const kind = kindOf(load<u8>(at)), quotes: usize = kind == Kind.STRING ? 1 : 0;
  setOut(first, <f64>kind);
  setOut(first + 1, <f64>(at + quotes - BODY));
  setOut(first + 2, <f64>(to - at - 2 * quotes));
}

const ROWS_KEY: u64 = 0x73776f72; // "rows"
const SOURCE_KEY: u64 = 0x656372756f73; // "source"
const OPTIONS_KEY: u64 = 0x736e6f6974706f; // "options"

/** Whether the decoded key is the short name, which is given as bytes. Escapes are rare, so their hash is compared. */
function isKey(at: usize, to: usize, keyEscaped: bool, name: u64, length: usize): bool {
  if (!keyEscaped) return to - at == length && (load<u64>(at) & ((<u64>1 << (length << 3)) - 1)) == name;
  store<u64>(SHORT_NAME, name);
  return hashEscaped(at) == hashText(SHORT_NAME, length);
}
