/** Keys of the rows that the engine holds, which compare with those of other slices of the batch: see `assembly/row-keys.ts`. Ask after `measure`, until the next `begin`. */
import type { Held } from './queries.ts';

/** A field, by its name in the batch. `column`: null if the slice lacks it. */
export interface KeyField {
  name: string;
  column: number | null;
}

/** A key for each of some rows. `rows`: their indexes, ascending. */
export interface RowKeys {
  keys: BigUint64Array;
  rows: Uint16Array;
}

export interface SliceKeys extends RowKeys {
  /** CSV: rows with words such as `NA`. Only the whole batch tells whether these are null or text, so the keys are without them. Null if there are none. */
  unsettled: (RowKeys & { fields: UnsettledCells[] }) | null;
}

/** `keys`: what the cell of each row adds to the key if it is a text. */
export interface UnsettledCells extends RowKeys {
  name: string;
}

export interface KeyQueries {
  /** Of the rows that rules are about (see `RuleChecks`) and that have a value in each of the fields. */
  ofValues(fields: readonly KeyField[]): SliceKeys;
  /** Of all rows. `fields`: all fields of the slice. */
  ofRows(fields: readonly KeyField[]): SliceKeys;
}

export function keyQueries({ exports, texts }: Held): KeyQueries {
  const read = (count: number): RowKeys => ({
    keys: texts().memory.u64(exports.partAddress(), count),
    rows: texts().memory.u16(exports.foundRowsAddress(), count),
  });
  const keysOf = (fields: readonly KeyField[], valuesNeeded: number): SliceKeys => {
    exports.beginKeys();
    const unsettled: UnsettledCells[] = [];
    for (const { name, column } of fields) {
      if (column === null) continue;
      const bytes = new TextEncoder().encode(name);
      texts().memory.write(bytes, exports.ruleDataAddress());
      const cells = exports.addToKeys(column, exports.ruleDataAddress(), bytes.length);
      if (cells > 0) unsettled.push({ name, ...read(cells) });
    }
    const settled = read(exports.listKeys(valuesNeeded, false));
    if (unsettled.length === 0) return { ...settled, unsettled: null };
    return {
      ...settled,
      unsettled: { ...read(exports.listKeys(valuesNeeded, true)), fields: unsettled },
    };
  };
  return {
    ofValues: fields => keysOf(fields, fields.length),
    ofRows: fields => keysOf(fields, 0),
  };
}
