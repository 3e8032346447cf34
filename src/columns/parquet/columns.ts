/** The columns of Parquet as vectors: flat ones in buffers, nested ones as JSON texts. */
import type { ColumnMetaData, DecodedArray, SchemaTree } from 'hyparquet';
import { assembleLists, assembleNested } from 'hyparquet/src/assemble.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel } from 'hyparquet/src/schema.js';
import { Layout } from '../../../assembly/abi.ts';
import { decimalBytes } from '../arrow/types.ts';
import { ColumnsError } from '../columns-error.ts';
import { type Field, NOTHING, type Region, type Space, type Vector } from '../field.ts';
import { scalarText } from '../scalar.ts';
import { damaged } from './damaged.ts';
import { type Budget, type Leaf, pagesOf, type Values } from './pages.ts';
import { type LeafType, leafTypeOf } from './types.ts';

export interface LeafPlan extends Leaf {
  path: string;
  type: LeafType;
  schemaPath: SchemaTree[];
  /** Of a map: its name in an object is a text. */
  isKey: boolean;
}

export interface ColumnPlan {
  field: Field;
  node: SchemaTree;
  leaves: LeafPlan[];
  isFlat: boolean;
}

type ChunkOf = (path: string) => { meta: ColumnMetaData; bytes: Uint8Array<ArrayBuffer> };

export function planOf(root: SchemaTree, node: SchemaTree): ColumnPlan {
  const leaves = leavesOf([root], node);
  const isFlat = node.children.length === 0 && node.element.repetition_type !== 'REPEATED';
  const [{ type }] = leaves as [LeafPlan];
  const own = isFlat
    ? type
    : { layout: Layout.TEXT32, parameter: 0, physicalType: nestedName(node, leaves), isJson: true };
  const { layout, parameter, physicalType, isJson } = own;
  const field: Field = {
    name: node.element.name,
    layout,
    parameter,
    physicalType,
    isJson,
    nesting: null,
    children: [],
    dictionary: null,
  };
  return { field, node, leaves, isFlat };
}

function nestedName({ element }: SchemaTree, leaves: LeafPlan[]): string {
  const kind = (element.logical_type?.type ?? element.converted_type ?? 'struct').toLowerCase();
  const name = `${kind}<${leaves.map(({ type }) => type.physicalType).join(', ')}>`;
  return name.length > 200 ? `${name.slice(0, 200)}…` : name;
}

function leavesOf(above: SchemaTree[], node: SchemaTree): LeafPlan[] {
  const schemaPath = [...above, node];
  if (node.children.length > 0) return node.children.flatMap(child => leavesOf(schemaPath, child));
  if (node.element.type === undefined) throw damaged(`the column '${node.path.join('.')}' has no type`);
  return [
    {
      path: node.path.join('.'),
      schemaPath,
      element: node.element,
      isKey: node.element.name === 'key' && above.at(-2)?.element.converted_type?.startsWith('MAP') === true,
      type: leafTypeOf(node.element),
      maxDefinition: getMaxDefinitionLevel(schemaPath),
      maxRepetition: getMaxRepetitionLevel(schemaPath),
    },
  ];
}

export function vectorOf(
  plan: ColumnPlan,
  rows: number,
  chunkOf: ChunkOf,
  space: Space,
  budget: Budget,
): Vector {
  return plan.isFlat
    ? flatVector(plan, rows, chunkOf, space, budget)
    : nestedVector(plan, rows, chunkOf, space, budget);
}

// ---- flat ----

function flatVector(
  { field, leaves }: ColumnPlan,
  rows: number,
  chunkOf: ChunkOf,
  space: Space,
  budget: Budget,
): Vector {
  const [leaf] = leaves as [LeafPlan];
  const { meta, bytes } = chunkOf(leaf.path);
  const validity = new Uint8Array(Math.ceil(rows / 8));
  const values: (Values[number] | null)[] = new Array(rows).fill(null);
  let row = 0;
  for (const page of pagesOf(bytes, meta, leaf, budget)) {
    if (row + page.count > rows)
      throw damaged(`the column '${leaf.path}' has more values than its row group has rows`);
    for (let i = 0, at = 0; i < page.count; i++, row++) {
      if (page.definition !== null && page.definition[i] !== leaf.maxDefinition) continue;
      validity[row >> 3]! |= 1 << (row & 7);
      values[row] = page.values[at++]!;
    }
  }
  if (row !== rows)
    throw damaged(`the column '${leaf.path}' has ${row} values, and its row group ${rows} rows`);
  return placed(field, leaf.type, rows, validity, values, space);
}

function placed(
  field: Field,
  type: LeafType,
  rows: number,
  validity: Uint8Array,
  values: (Values[number] | null)[],
  space: Space,
): Vector {
  const vector = {
    field,
    length: rows,
    validity: put(validity, space),
    offsets: NOTHING,
    buffers: [],
    children: [],
  };
  if (type.layout === Layout.TEXT32 || type.layout === Layout.BYTES32) {
    const texts = values.map(value => (value === null ? EMPTY : bytesOf(value as Uint8Array, type)));
    return { ...vector, ...putTexts(texts, space) };
  }
  return { ...vector, values: put(fixedBytes(type, values), space) };
}

const EMPTY = new Uint8Array();

export function put(bytes: Uint8Array, space: Space): Region {
  if (bytes.length === 0) return NOTHING;
  const at = space.allocate(bytes.length);
  space.bytes().set(bytes, at);
  return { at, length: bytes.length };
}

function putTexts(texts: Uint8Array[], space: Space): Pick<Vector, 'offsets' | 'values'> {
  const offsets = new Uint32Array(texts.length + 1);
  for (const [i, text] of texts.entries()) offsets[i + 1] = offsets[i]! + text.length;
  const length = offsets[texts.length]!;
  const at = space.allocate(length);
  const memory = space.bytes();
  for (const [i, text] of texts.entries()) memory.set(text, at + offsets[i]!);
  return { values: { at, length }, offsets: put(new Uint8Array(offsets.buffer), space) };
}

const bytesOf = (value: Uint8Array, { convert }: LeafType): Uint8Array =>
  convert === 'uuid' ? encoder.encode(uuidOf(value)) : value;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const uuidOf = (value: Uint8Array): string =>
  Buffer.from(value)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** The values of a layout in which each has as many bytes. */
function fixedBytes(type: LeafType, values: (Values[number] | null)[]): Uint8Array {
  switch (type.layout) {
    case Layout.BOOLEAN: {
      const bits = new Uint8Array(Math.ceil(values.length / 8));
      for (const [i, value] of values.entries()) if (value === 1) bits[i >> 3]! |= 1 << (i & 7);
      return bits;
    }
    case Layout.FLOAT32:
      return new Uint8Array(Float32Array.from(values as number[], value => value ?? 0).buffer);
    case Layout.FLOAT64:
      return new Uint8Array(Float64Array.from(values as number[], value => value ?? 0).buffer);
    case Layout.FLOAT16: {
      const out = new Uint8Array(values.length * 2);
      for (const [i, value] of values.entries()) if (value !== null) out.set(value as Uint8Array, i * 2);
      return out;
    }
    case Layout.DECIMAL:
      if (type.convert === 'decimal') return decimals(type, values as (Uint8Array | null)[]);
  }
  const isShort = typeof values.find(value => value !== null) === 'number' || type.layout === Layout.DATE32;
  if (
    isShort ||
    type.layout === Layout.INT32 ||
    type.layout === Layout.UINT32 ||
    type.layout === Layout.TIME32
  )
    return new Uint8Array(Int32Array.from(values as number[], value => value ?? 0).buffer);
  if (type.layout === Layout.DECIMAL && decimalBytes(type.parameter) === 4)
    return new Uint8Array(values.length * 4);
  return new Uint8Array(BigInt64Array.from(values as bigint[], value => value ?? 0n).buffer);
}

/** Big-endian integers of any width as little-endian ones of the layout's. */
function decimals({ parameter }: LeafType, values: (Uint8Array | null)[]): Uint8Array {
  const width = decimalBytes(parameter);
  const out = new Uint8Array(values.length * width);
  for (const [i, value] of values.entries()) {
    if (value === null || value.length === 0) continue;
    if (value.length > width) throw new ColumnsError('The Parquet file has a decimal of too many bytes');
    out.fill(value[0]! >= 0x80 ? 0xff : 0, i * width, (i + 1) * width);
    for (let k = 0; k < value.length; k++) out[i * width + k] = value[value.length - 1 - k]!;
  }
  return out;
}

// ---- nested ----

function nestedVector(
  plan: ColumnPlan,
  rows: number,
  chunkOf: ChunkOf,
  space: Space,
  budget: Budget,
): Vector {
  const columns = new Map<string, DecodedArray>();
  const path = plan.node.path.join('.');
  try {
    for (const leaf of plan.leaves) columns.set(leaf.path, assembled(leaf, chunkOf, budget) as DecodedArray);
    assembleNested(columns, plan.node, DEFAULT_PARSERS);
  } catch (error) {
    if (error instanceof ColumnsError) throw error;
    throw damaged(`the column '${path}' cannot be put together`);
  }
  const values = columns.get(path) as unknown[] | undefined;
  if (values?.length !== rows)
    throw damaged(`the column '${path}' has ${values?.length ?? 0} values, and its row group ${rows} rows`);
  const validity = new Uint8Array(Math.ceil(rows / 8));
  const isRepeated = plan.node.element.repetition_type === 'REPEATED';
  const texts = values.map((value, row) => {
    if ((value === null || value === undefined) && !isRepeated) return EMPTY;
    validity[row >> 3]! |= 1 << (row & 7);
    return encoder.encode(JSON.stringify(value ?? []));
  });
  return {
    field: plan.field,
    length: rows,
    validity: put(validity, space),
    buffers: [],
    children: [],
    ...putTexts(texts, space),
  };
}

/** The values of a leaf in the lists that they are in. */
function assembled(leaf: LeafPlan, chunkOf: ChunkOf, budget: Budget): unknown[] {
  const { meta, bytes } = chunkOf(leaf.path);
  let output: unknown[] = [];
  for (const page of pagesOf(bytes, meta, leaf, budget)) {
    const values = Array.from(page.values as Iterable<Values[number]>, value => jsonOf(value, leaf));
    const levels = (level: Uint32Array | null) => (level === null ? [] : [...level]);
    const { definition, repetition } = page;
    if (definition === null && repetition === null) {
      for (const value of values) output.push(value);
      continue;
    }
    output = assembleLists(
      output,
      levels(definition),
      levels(repetition),
      values,
      leaf.schemaPath,
    ) as unknown[];
  }
  return output;
}

/** The compiler's library does not have it yet. */
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/** What `JSON.stringify` writes as the value. */
function jsonOf(value: Values[number], { type, element, isKey }: LeafPlan): unknown {
  if (type.layout === Layout.TEXT32)
    return type.convert === 'uuid' ? uuidOf(value as Uint8Array) : decoder.decode(value as Uint8Array);
  if (type.layout === Layout.BYTES32) return Buffer.from(value as Uint8Array).toString('base64');
  if (type.layout === Layout.BOOLEAN) return value === 1;
  const bytes = fixedBytes(type, [value]);
  const field = { ...type, name: element.name, nesting: null, children: [], dictionary: null };
  const vector = {
    field,
    length: 1,
    validity: null,
    offsets: NOTHING,
    values: { at: 0, length: bytes.length },
    buffers: [],
    children: [],
  };
  const text = scalarText(vector, 0, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return isKey ? text : rawJson(text);
}
