/** The cells of a CSV column before it is decided how it is read. */
import { ENUM_BYTES, Tag } from '../../assembly/abi.ts';
import type { EngineExports } from './exports.ts';
import type { TextRun, Unsettled } from './reading.ts';
import type { BodyTexts } from './texts.ts';

/** Of a part of a batch. */
export interface UnsettledColumn {
  unsettled: Unsettled;
  nullish: NullishText[];
  /** The finite numbers of a column that holds codes or texts too, and so may be read as texts; else none. */
  codes: Float64Array;
}

/** A word that may stand for null, cut at 64 characters, in order of first occurrence. */
export interface NullishText {
  hash: bigint;
  count: number;
  text: string;
}

/** After `countCells` of the same column. */
export function countUnsettled(exports: EngineExports, column: number): Unsettled {
  const of = (tag: Tag) => exports.unsettled(tag);
  const cells = {
    nulls: of(Tag.NULL),
    nullish: of(Tag.NULLISH),
    nullishEmpties: 0,
    codes: of(Tag.CODE),
    integers: of(Tag.INTEGER),
    numbers: of(Tag.NUMBER),
    falses: of(Tag.FALSE),
    trues: of(Tag.TRUE),
    strings: of(Tag.STRING),
    empties: of(Tag.EMPTY),
    codeTexts: 0,
    dottedTexts: 0,
    groupedTexts: 0,
    largeNumbers: 0,
    letterTexts: 0,
    letters: 0,
  };
  if (cells.strings > 0 && cells.codes + cells.integers + cells.numbers > 0)
    addCodeTexts(cells, exports, column);
  return cells;
}

function addCodeTexts(cells: Unsettled, exports: EngineExports, column: number): void {
  exports.countCodeTexts(column);
  cells.codeTexts = exports.codeTexts.value;
  cells.dottedTexts = exports.dottedTexts.value;
  cells.groupedTexts = exports.groupedTexts.value;
  cells.largeNumbers = exports.largeNumbers.value;
  cells.letterTexts = exports.letterTexts.value;
  cells.letters = exports.letters.value;
}

export function textRunOf(exports: EngineExports, column: number, cells: Unsettled): TextRun {
  exports.findTextRun(column);
  const [texts, typed] = [exports.runTexts.value as number, exports.runTyped.value as number];
  const otherTexts = cells.strings + cells.empties - texts;
  const otherTyped = cells.integers + cells.numbers + cells.falses + cells.trues - typed;
  return { texts, typed, otherTexts, otherTyped };
}

/** The same with what other parts of the batch may need: they may hold the numbers. After `countCells`, too. */
export function readUnsettled(exports: EngineExports, texts: BodyTexts, column: number): UnsettledColumn {
  const { memory } = texts;
  const unsettled = countUnsettled(exports, column);
  if (unsettled.strings > 0) addCodeTexts(unsettled, exports, column);
  exports.listNullish(column);
  const nullish = Array.from({ length: exports.nullishListed.value }, (_, i) => {
    const at = exports.unseenAddress() + i * ENUM_BYTES;
    return { hash: memory.u64At(at), count: memory.u32At(at + 16), text: texts.startInSlot(at + 8) };
  });
  unsettled.nullishEmpties = exports.nullishEmpties.value;
  const { integers, numbers, codes, strings } = unsettled;
  const isMixed = integers + numbers > 0 && codes + strings > 0;
  return {
    unsettled,
    nullish,
    codes: memory.f64(exports.partAddress(), isMixed ? exports.listUnsettled(column) : 0),
  };
}
