/** The checks of declared rules: what the engine is asked, and what it is passed. */
import { ALLOWED_BYTES, Tag } from '../../assembly/abi.ts';
import type { Pieces } from '../cooperative-yield.ts';
import { readExample } from './cell-values.ts';
import type { EngineExports } from './exports.ts';
import type { EngineMemory } from './memory.ts';
import type { Held, RuleChecks } from './queries.ts';
import type { BodyTexts } from './texts.ts';

/** In place of a column that the batch lacks, and of a cell that a row lacks. */
const NONE = 0xffffffff;
/** A row whose number a double cannot tell: the host decides. */
const UNDECIDED = 2;

/** Texts that are read from the body before others have their turn. */
const CELLS_AT_ONCE = 64;

const TEXT_KIND = 0;
const NUMBER_KIND = 1;

export const ruleChecks = ({ exports, texts, rows }: Held): RuleChecks => ({
  begin: () => exports.beginRules(),
  choose: found => exports.chooseFlagged(found) >>> 0,
  failing(limit) {
    const count = exports.failingRows(limit);
    return { count, rows: texts().memory.u16(exports.foundRowsAddress(), Math.min(count, limit)) };
  },
  none: () => exports.clearFlags(),
  nulls: column => exports.flagNulls(column ?? NONE),
  present: column => exports.flagPresent(column ?? NONE),
  types: (column, types) => exports.flagTypes(column, types),
  outside: (column, low, high, open) => exports.flagOutside(column, low, high, open),
  noMultiples(column, m, scale, isMultiple) {
    exports.flagNoMultiples(column, m, scale);
    for (let row = 0; row < rows(); row++) {
      if (exports.flagAt(row) !== UNDECIDED) continue;
      exports.setFlag(row, !isMultiple(exports.numberOf(column, row)));
    }
  },
  lengths: (column, least, most) => exports.flagLengths(column, least, most),
  misformed: (column, format) => exports.flagMisformed(column, format),
  listed(column, values, among) {
    writeValues(texts().memory, exports.ruleDataAddress(), values);
    exports.flagAllowed(column, values.length, among);
  },
  unmatched(column, { bytes, start, rowBytes }) {
    texts().memory.write(bytes, exports.ruleDataAddress());
    exports.flagUnmatched(column, start, rowBytes);
  },
  *refused(column, isMatch) {
    yield* flagRefused(exports, texts(), column, isMatch);
  },
  repeated(columns) {
    texts().memory.write(
      new Uint8Array(Uint32Array.from(columns, column => column ?? NONE).buffer),
      exports.ruleDataAddress(),
    );
    exports.flagRepeated(columns.length);
  },
  unordered: (left, operator, right) => exports.flagUnordered(left, operator, right),
  unlike(column, operator, constant) {
    const text = typeof constant === 'string' ? new TextEncoder().encode(constant) : null;
    if (text) texts().memory.write(text, exports.ruleDataAddress());
    const number = typeof constant === 'number' ? constant : Number.NaN;
    const tag = typeof constant === 'boolean' ? tagOf(constant) : 0;
    exports.flagUnlike(column, operator, number, text ? text.length : -1, tag);
  },
  disordered: (column, falling) => exports.flagDisordered(column, falling),
  newest(column) {
    const newest = exports.newestDate(column);
    return Number.isNaN(newest) ? null : newest;
  },
  value(column, row) {
    const cell = exports.cellOf(column, row) >>> 0;
    return cell === NONE ? undefined : readExample(exports, texts(), column, cell);
  },
});

const tagOf = (flag: boolean): Tag => (flag ? Tag.TRUE : Tag.FALSE);

/** Values of an enumeration as `assembly/rules/allowed.ts` reads them: entries, then the bytes of the texts. */
function writeValues(
  memory: EngineMemory,
  address: number,
  values: readonly (string | number | boolean)[],
): void {
  const encoder = new TextEncoder();
  const texts = values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 0),
    0,
  );
  const data = new Uint8Array(values.length * ALLOWED_BYTES + 3 * texts);
  const view = new DataView(data.buffer);
  let end = values.length * ALLOWED_BYTES;
  for (const [i, value] of values.entries()) {
    const entry = i * ALLOWED_BYTES;
    if (typeof value === 'string') {
      const { written } = encoder.encodeInto(value, data.subarray(end));
      view.setUint32(entry + 8, end, true);
      view.setUint32(entry + 12, written, true);
      end += written;
    } else if (typeof value === 'number') view.setFloat64(entry + 8, value, true);
    const kind =
      typeof value === 'string' ? TEXT_KIND : typeof value === 'number' ? NUMBER_KIND : tagOf(value);
    view.setUint32(entry + 16, kind, true);
  }
  memory.write(data.subarray(0, end), address);
}

/** Whatever the engine cannot match is matched here, each distinct text once. */
function* flagRefused(
  exports: EngineExports,
  texts: BodyTexts,
  column: number,
  isMatch: (text: Uint8Array) => Pieces<boolean>,
): Pieces<void> {
  exports.clearFlags();
  const known = new Map<string, boolean>();
  const encoder = new TextEncoder();
  const count = exports.cellCount(column);
  for (let cell = 0; cell < count; cell++) {
    const slot = exports.textSlotOf(column, cell);
    if (slot === 0) continue;
    const text = texts.inSlot(slot);
    const matches = known.get(text) ?? (yield* isMatch(encoder.encode(text)));
    known.set(text, matches);
    exports.setFlag(exports.cellRow(column, cell), !matches);
    if (cell % CELLS_AT_ONCE === 0) yield;
  }
}
