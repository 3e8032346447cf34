/** Reads a schema of Arrow IPC. A hostile one may name a table as its own child, so the walk has limits. */
import { Encoding } from 'flatbuffers';
import { Field as FieldTable } from 'apache-arrow/fb/field';
import type { Schema } from 'apache-arrow/fb/schema';
import { Fault, Layout, MAX_DEPTH, MAX_FIELDS } from '../../../assembly/abi.ts';
import { ColumnsError, tooLarge } from '../columns-error.ts';
import { type Field, shortened } from '../field.ts';
import { integerLayout, notRead, physicalTypeOf, shapeOf } from './types.ts';

/** Fields at all levels: a schema names no more columns with children than it can have cells. */
const MAX_NESTED_FIELDS = 20_000;
/** Bytes of all names together. Fields may share the bytes of a name, and each field reads them. */
const MAX_NAMES_BYTES = 16_000_000;
/** A value's own bracket comes inside those of a JSON body. */
const MAX_NESTING = MAX_DEPTH - 3;

export function fieldsOf(schema: Schema): Field[] {
  const count = schema.fieldsLength();
  if (count > MAX_FIELDS) throw tooLarge(Fault.FIELDS);
  if (count < 1) throw new ColumnsError('The Arrow schema has no columns: at least one is needed');
  const walk = { left: MAX_NESTED_FIELDS, bytesLeft: MAX_NAMES_BYTES, pairsLeft: MAX_PAIRS };
  return Array.from({ length: count }, (_, i) =>
    columnOf(fieldOf(schema.fields(i, new FieldTable())!, 1, walk)),
  );
}

/** Throws for a dictionary within runs, runs within a dictionary, and runs within runs. */
function columnOf(field: Field): Field {
  if (field.nesting !== 'run_end_encoded') return field;
  const values = field.children[1]!;
  if (field.dictionary !== null || values.dictionary !== null || values.nesting === 'run_end_encoded')
    throw notRead(field.name, field.physicalType);
  return field;
}

/** How many fields, bytes of names and pairs of metadata may still be read. */
interface Walk {
  left: number;
  bytesLeft: number;
  pairsLeft: number;
}

function fieldOf(table: FieldTable, depth: number, walk: Walk): Field {
  if (walk.left-- === 0) throw new ColumnsError('The Arrow schema has too many nested fields');
  if (depth > MAX_NESTING) throw tooLarge(Fault.DEPTH);
  const name = nameOf(table, walk);
  const children = Array.from({ length: Math.min(table.childrenLength(), walk.left + 1) }, (_, i) =>
    fieldOf(table.children(i, new FieldTable())!, depth + 1, walk),
  );
  const shape = shapeOf(table, children, name);
  const encoding = table.dictionary();
  const metadata = readable(() => metadataOf(table, walk));
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

function nameOf(table: FieldTable, walk: Walk): string {
  const bytes = readable(() => table.name(Encoding.UTF8_BYTES) as Uint8Array | null);
  walk.bytesLeft -= bytes?.length ?? 0;
  if (walk.bytesLeft < 0) throw new ColumnsError('The names of the Arrow schema are too long');
  return beginningOf(bytes, MAX_NAMES_BYTES);
}

const decoder = new TextDecoder();

/** Decodes at most the first `most` bytes of a text. */
const beginningOf = (bytes: Uint8Array | string | null, most: number): string =>
  bytes === null ? '' : decoder.decode((bytes as Uint8Array).subarray(0, most));

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

/** Pairs of metadata that are read of one field, and of all fields together. */
const MAX_FIELD_PAIRS = 64;
const MAX_PAIRS = 40_000;
/** Bytes that are read of a key or value. All that we know are shorter. */
const MAX_PAIR_BYTES = 1024;

function metadataOf(table: FieldTable, walk: Walk): Map<string, string> {
  const metadata = new Map<string, string>();
  const count = Math.min(table.customMetadataLength(), MAX_FIELD_PAIRS, walk.pairsLeft);
  walk.pairsLeft -= count;
  for (let i = 0; i < count; i++) {
    const pair = table.customMetadata(i)!;
    const key = beginningOf(pair.key(Encoding.UTF8_BYTES), MAX_PAIR_BYTES);
    if (key === EXTENSION_KEY || key === PHYSICAL_TYPE_KEY)
      metadata.set(key, shortened(beginningOf(pair.value(Encoding.UTF8_BYTES), MAX_PAIR_BYTES)));
  }
  return metadata;
}
