/** The counts of a column's record that make up those of a type. */
import { Column } from '../../assembly/abi.ts';
import type { ValueType } from '../profile/profile.ts';

export const COLUMNS_OF_TYPE: Record<ValueType, readonly Column[]> = {
  number: [Column.NUMBERS],
  boolean: [Column.FALSES, Column.TRUES],
  object: [Column.OBJECTS],
  array: [Column.ARRAYS],
  string: [Column.STRINGS, Column.EMPTIES],
};
