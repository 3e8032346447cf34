/** Reads a schema of Arrow IPC. A hostile one may name a table as its own child, so the walk has limits. */
import { Field as FieldTable } from 'apache-arrow/fb/field';
import type { Schema } from 'apache-arrow/fb/schema';
import { Fault, Layout, MAX_DEPTH, MAX_FIELDS } from '../../../assembly/abi.ts';
import { ColumnsError, tooLarge } from '../columns-error.ts';
import { type Field, shortened } from '../field.ts';
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
  const metadata = readable(() => metadataOf(table));
  const physical = physicalTypeOf(table, shape, children);
  const dictionary = encoding && { id: encoding.id(), indexes: integerLayout(encoding.indexType()) };
  const declared = metadata.get(PHYSICAL_TYPE_KEY);
  const indexes = dictionary && Layout[dictionary.indexes]!.toLowerCase();
  return {
    ...shape,
    name,
    children,
    dictionary,
    isJson: shape.layout === Layout.TEXT32 && metadata.get(EXTENSION_KEY) === 'arrow.json',
    physicalType:
      declared ??
      (dictionary
        ? `dictionary<values=${physical}, indices=${indexes}, ordered=${encoding.isOrdered() ? 1 : 0}>`
        : physical),
  };
}

const nameOf = (table: FieldTable): string => readable(() => table.name() ?? '');

/** A text of the schema may lie outside of it. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch {
    throw new ColumnsError('The Arrow schema has a name that is damaged');
  }
}

export const EXTENSION_KEY = 'ARROW:extension:name';
/** The type in the file that the rows are from, where the command line has made the body. */
export const PHYSICAL_TYPE_KEY = 'sluice:physical_type';

/** Pairs of a field that are looked at. */
const MAX_PAIRS = 64;

function metadataOf(table: FieldTable): Map<string, string> {
  const metadata = new Map<string, string>();
  for (let i = 0; i < Math.min(table.customMetadataLength(), MAX_PAIRS); i++) {
    const pair = table.customMetadata(i);
    const key = pair?.key();
    if (key === EXTENSION_KEY || key === PHYSICAL_TYPE_KEY) metadata.set(key, shortened(pair?.value() ?? ''));
  }
  return metadata;
}
