/** The checks of declared rules: what the engine is asked, and what it is passed. `run-checks.ts` runs them. */
import { Tag, UNDECIDED } from '../../assembly/abi.ts';
import { readExample } from './cell-values.ts';
import { enumerationOf } from './enumeration.ts';
import type { EngineExports } from './exports.ts';
import type { Held } from './queries.ts';
import type { RowCheck, RuleChecks } from './row-check.ts';
import { runningChecks } from './run-checks.ts';
import type { BodyTexts } from './texts.ts';

/** In place of a column that the batch lacks, and of a cell that a row lacks. */
const NONE = 0xffffffff;

/** A check that keeps nothing. */
const simply = (texts: readonly number[], look: () => void): RowCheck => ({
  bytes: 0,
  texts,
  begin() {},
  look,
});

export const ruleChecks = (held: Held): RuleChecks => ({
  ...runningChecks(held),
  ...checksOfCells(held),
  ...checksOfTexts(held),
  ...checksOfRows(held),
  newest(column) {
    const newest = held.exports.newestDate(column);
    return Number.isNaN(newest) ? null : newest;
  },
  value(column, row) {
    const cell = held.exports.cellOf(column, row) >>> 0;
    return cell === NONE ? undefined : readExample(held.exports, held.texts(), column, cell);
  },
});

const checksOfCells = ({ exports, rows }: Held) =>
  ({
    none: () => simply([], () => {}),
    nulls: column => simply([], () => exports.flagNulls(column ?? NONE)),
    present: column => simply([], () => exports.flagPresent(column ?? NONE)),
    types: (column, types) => simply([column], () => exports.flagTypes(column, types)),
    outside: (column, low, high, open) =>
      simply([column], () => exports.flagOutside(column, low, high, open)),
    noMultiples: (column, m, scale, isMultiple) => ({
      ...simply([column], () => exports.flagNoMultiples(column, m, scale)),
      decide() {
        for (let row = 0; row < rows(); row++) {
          if (exports.flagAt(row) !== UNDECIDED) continue;
          exports.setFlag(row, !isMultiple(exports.numberOf(column, row)));
        }
      },
    }),
  }) satisfies Partial<RuleChecks>;

const checksOfTexts = ({ exports, texts }: Held) =>
  ({
    lengths: (column, least, most) => simply([column], () => exports.flagLengths(column, least, most)),
    misformed: (column, format) => simply([column], () => exports.flagMisformed(column, format)),
    listed(column, values, among) {
      const data = enumerationOf(values);
      return {
        bytes: data.length,
        texts: [column],
        begin(at) {
          texts().memory.write(data, at);
          exports.beginAllowed(at);
        },
        look: at => exports.flagAllowed(column, at, among),
      };
    },
    unmatched(column, automaton, isMatch) {
      if (automaton === null) {
        const lookAtAll = () => flagUnmatched(exports, texts(), column, isMatch, () => true);
        return { ...simply([], () => {}), lookAtAll };
      }
      const { bytes, start } = automaton;
      let undecided = 0;
      return {
        bytes: bytes.length,
        texts: [column],
        begin: at => texts().memory.write(bytes, at),
        look(at) {
          undecided += exports.flagUnmatched(column, at, start);
        },
        decide() {
          const isUndecided = (row: number) => exports.flagAt(row) === UNDECIDED;
          if (undecided > 0) flagUnmatched(exports, texts(), column, isMatch, isUndecided);
        },
      };
    },
  }) satisfies Partial<RuleChecks>;

const checksOfRows = ({ exports, texts }: Held) =>
  ({
    repeated(columns) {
      const data = new Uint8Array(Uint32Array.from(columns, column => column ?? NONE).buffer);
      return {
        ...simply([], () => {}),
        bytes: data.length,
        lookAtAll(at) {
          texts().memory.write(data, at);
          exports.flagRepeated(at, columns.length);
          return undefined;
        },
      };
    },
    unordered(left, operator, right) {
      const [order, otherOrder] = [exports.orderOf(left), exports.orderOf(right)];
      return simply([left, right], () => exports.flagUnordered(left, operator, right, order, otherOrder));
    },
    unlike(column, operator, constant) {
      // The zero after the text ends a number.
      const text = typeof constant === 'string' ? new TextEncoder().encode(`${constant}\0`) : null;
      const number = typeof constant === 'number' ? constant : Number.NaN;
      const tag = typeof constant === 'boolean' ? (constant ? Tag.TRUE : Tag.FALSE) : 0;
      const order = exports.orderOf(column);
      return {
        bytes: text?.length ?? 0,
        texts: [column],
        begin: at => text && texts().memory.write(text, at),
        look: at => exports.flagUnlike(column, operator, number, at, text ? text.length - 1 : -1, tag, order),
      };
    },
    disordered: (column, falling) => ({
      ...simply([], () => {}),
      lookAtAll() {
        exports.flagDisordered(column, falling);
        return undefined;
      },
    }),
  }) satisfies Partial<RuleChecks>;

/** What the engine cannot match is matched here, each distinct text once. */
function flagUnmatched(
  exports: EngineExports,
  texts: BodyTexts,
  column: number,
  isMatch: (text: string) => boolean,
  isAsked: (row: number) => boolean,
): void {
  const known = new Map<string, boolean>();
  const count = exports.cellCount(column);
  for (let cell = 0; cell < count; cell++) {
    const row = exports.cellRow(column, cell);
    const slot = exports.textSlotOf(column, cell);
    if (slot === 0 || !isAsked(row)) continue;
    const text = texts.inSlot(slot);
    const matches = known.get(text) ?? isMatch(text);
    known.set(text, matches);
    exports.setFlag(row, !matches);
  }
}
