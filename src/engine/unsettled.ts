/** The cells of a CSV column before it is decided how it is read. */
import { ENUM_BYTES, Tag } from '../../assembly/abi.ts';
import type { EngineExports } from './exports.ts';
import type { Unsettled } from './reading.ts';
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

export function countUnsettled(exports: EngineExports, column: number): Unsettled {
  exports.countCells(column);
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
  };
  const mayBeCodes = cells.strings > 0 && cells.codes + cells.integers + cells.numbers > 0;
  return { ...cells, ...(mayBeCodes ? countCodeTexts(exports, column) : NO_CODE_TEXTS) };
}

const NO_CODE_TEXTS = { codeTexts: 0, dottedTexts: 0, letterTexts: 0, letters: 0 };

function countCodeTexts(exports: EngineExports, column: number): typeof NO_CODE_TEXTS {
  exports.countCodeTexts(column);
  const { codeTexts, dottedTexts, letterTexts, letters } = exports;
  return {
    codeTexts: codeTexts.value,
    dottedTexts: dottedTexts.value,
    letterTexts: letterTexts.value,
    letters: letters.value,
  };
}

/** The same with what other parts of the batch may need: they may hold the numbers. */
export function readUnsettled(exports: EngineExports, texts: BodyTexts, column: number): UnsettledColumn {
  const { memory } = texts;
  const cells = countUnsettled(exports, column);
  exports.listNullish(column);
  const nullish = Array.from({ length: exports.nullishListed.value }, (_, i) => {
    const at = exports.unseenAddress() + i * ENUM_BYTES;
    return { hash: memory.u64At(at), count: memory.u32At(at + 16), text: texts.startInSlot(at + 8) };
  });
  const isMixed = cells.integers + cells.numbers > 0 && cells.codes + cells.strings > 0;
  return {
    unsettled: {
      ...cells,
      nullishEmpties: exports.nullishEmpties.value,
      ...(cells.strings > 0 && countCodeTexts(exports, column)),
    },
    nullish,
    codes: memory.f64(exports.partAddress(), isMixed ? exports.listUnsettled(column) : 0),
  };
}
