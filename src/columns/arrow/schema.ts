/** Reads a schema of Arrow IPC. A hostile one may name a table as its own child, so the walk has limits. */
import { Field as FieldTable } from 'apache-arrow/fb/field';
import type { Schema } from 'apache-arrow/fb/schema';
import { Fault, Layout, MAX_DEPTH, MAX_FIELDS } from '../../../assembly/abi.ts';
import { ColumnsError, tooLarge } from '../columns-error.ts';
import type { Field } from '../field.ts';
import { integerLayout, physicalTypeOf, shapeOf } from './types.ts';

/** Fields at all levels: a schema names no more columns with children than it can have cells. */
const MAX_NESTED_FIELDS = 20_000;
/** A value's own bracket comes inside those of a JSON body. */
const MAX_NESTING = MAX_DEPTH - 3;

export function fieldsOf(schema: Schema): Field[] {
  const count = schema.fieldsLength();
  if (count > MAX_FIELDS) throw tooLarge(Fault.FIELDS);
  if (count < 1) throw new ColumnsError('The Arrow schema has no columns: at least one is needed');
  const walk = { left: MAX_NESTED_FIELDS };
  return Array.from({ length: count }, (_, i) => fieldOf(schema.fields(i, new FieldTable())!, 1, walk));
}

function fieldOf(table: FieldTable, depth: number, walk: { left: number }): Field {
  if (walk.left-- === 0) throw new ColumnsError('The Arrow schema has too many nested fields');
  if (depth > MAX_NESTING) throw tooLarge(Fault.DEPTH);
  const name = nameOf(table);
  const children = Array.from({ length: Math.min(table.childrenLength(), walk.left + 1) }, (_, i) =>
    fieldOf(table.children(i, new FieldTable())!, depth + 1, walk),
  );
  const shape = shapeOf(table, children, name);
  const encoding = table.dictionary();
  const physical = physicalTypeOf(table, shape, children);
  const dictionary = encoding && { id: encoding.id(), indexes: integerLayout(encoding.indexType()) };
  const indexes = dictionary && Layout[dictionary.indexes]!.toLowerCase();
  return {
    ...shape,
    name,
    children,
    dictionary,
    isJson: shape.layout === Layout.TEXT32 && extensionOf(table) === 'arrow.json',
    physicalType: dictionary
      ? `dictionary<values=${physical}, indices=${indexes}, ordered=${encoding.isOrdered() ? 1 : 0}>`
      : physical,
  };
}

function nameOf(table: FieldTable): string {
  try {
    return table.name() ?? '';
  } catch {
    throw new ColumnsError('The Arrow schema has a name that is damaged');
  }
}

/** Pairs of a schema that are looked at. */
const MAX_PAIRS = 64;

function extensionOf(table: FieldTable): string | null {
  for (let i = 0; i < Math.min(table.customMetadataLength(), MAX_PAIRS); i++) {
    const pair = table.customMetadata(i);
    if (pair?.key() === 'ARROW:extension:name') return pair.value();
  }
  return null;
}
