/** Decides how the columns of a CSV body are read, once, before they are measured. */
import { Out } from '../../assembly/abi.ts';
import type { EngineExports } from './exports.ts';
import { type PastOf, readingOf, typedTextsIn } from './reading.ts';
import { type BodyTexts, namesOf } from './texts.ts';
import { countUnsettled, readUnsettled, textRunOf, type UnsettledColumn } from './unsettled.ts';

export interface SettledColumn {
  /** Texts that look like numbers or booleans. */
  typedTexts: number;
  /** Whether some numbers are written without fraction and exponent, and others with one. */
  isMixed: boolean;
  /** Of a part of a batch: how its cells could be read; else null. */
  read: UnsettledColumn | null;
}

/** A column of texts and null. */
const NO_VALUES: SettledColumn = { typedTexts: 0, isMixed: false, read: null };

/** `pastOf`: null where nothing is known. */
export function settleColumns(
  exports: EngineExports,
  texts: BodyTexts,
  isPart: boolean,
  pastOf: PastOf | null,
): SettledColumn[] {
  const length = texts.memory.f64At(exports.outAddress() + Out.FIELDS * 8);
  const past = pastOf?.(namesOf(exports, texts, length));
  return Array.from({ length }, (_, column) => {
    const hasOthers = exports.countCells(column);
    if (!isPart && !hasOthers) return NO_VALUES;
    const read = isPart ? readUnsettled(exports, texts, column) : null;
    const cells = read?.unsettled ?? countUnsettled(exports, column);
    const reading = readingOf(cells, past?.[column] ?? null, () => textRunOf(exports, column, cells));
    exports.settle(column, reading === 'texts');
    const isMixed = cells.integers > 0 && cells.numbers > 0;
    return { typedTexts: typedTextsIn(cells, reading), isMixed, read };
  });
}
