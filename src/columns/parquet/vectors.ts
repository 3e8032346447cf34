/** Puts the values of a row group, or of some of its rows, into buffers as Arrow lays them out. */
import { Layout } from '../../../assembly/abi.ts';
import { decimalBytes } from '../arrow/types.ts';
import { NOTHING, type Region, type Space, type Vector } from '../field.ts';
import type { Memory } from '../scratch.ts';
import { damaged } from './damaged.ts';
import type { LeafCursor, Part } from './leaf-cursor.ts';
import { type LeafNode, type ListNode, leavesOf, type Node } from './nodes.ts';
import type { Leaf } from './pages.ts';
import { isTexts, type Texts, type Values } from './values.ts';
import { quoted } from '../../terms/errors.ts';

/** A column of a row group. */
export interface OpenColumn {
  node: Node;
  /** One for each leaf, in the order of `leavesOf`. */
  cursors: LeafCursor[];
}

/** Reads the next `rows` rows of a column. Its buffers are allocated in `space`, temporary arrays in `memory`. Throws `ColumnsError`. */
export function vectorOf({ node, cursors }: OpenColumn, rows: number, space: Space, memory: Memory): Vector {
  const parts = new Map(leavesOf(node).map(({ leaf }, i) => [leaf, cursors[i]!.take(rows)]));
  const vector = new Builder(parts, space, memory).vector(node, 0, 0);
  if (vector.length !== rows)
    throw damaged(
      `the column ${quoted(node.field.name)} has ${vector.length} rows, and its row group ${rows}`,
    );
  return vector;
}

/** The levels of a leaf's entries. */
interface Levels {
  definition: Uint8Array;
  repetition: Uint8Array;
}

class Builder {
  readonly #parts: Map<Leaf, Part[]>;
  readonly #space: Space;
  readonly #memory: Memory;
  readonly #levels = new Map<Leaf, Levels>();

  constructor(parts: Map<Leaf, Part[]>, space: Space, memory: Memory) {
    this.#parts = parts;
    this.#space = space;
    this.#memory = memory;
  }

  /** The values whose entries have at most `repetition` and at least `definition`: one for each item of the list around. */
  vector(node: Node, repetition: number, definition: number): Vector {
    const vector = { field: node.field, offsets: NOTHING, values: NOTHING, buffers: [], children: [] };
    if (node.kind === 'leaf') {
      const { length, validity } = this.#validity(node, node.leaf, repetition, definition);
      const parts = this.#parts.get(node.leaf)!;
      return {
        ...vector,
        length,
        validity: this.#put(validity),
        ...placed(node, parts, { length, validity, space: this.#space, memory: this.#memory }),
      };
    }
    const [{ leaf }] = leavesOf(node) as [LeafNode];
    const { length, validity } = this.#validity(node, leaf, repetition, definition);
    const base = { ...vector, length, validity: this.#put(validity) };
    if (node.kind === 'list') {
      const { offsets, items } = this.#offsets(node, leaf, repetition, definition, length);
      const item = this.vector(node.item, node.itemRepetition, node.itemDefinition);
      if (item.length !== items) throw uneven(node);
      return { ...base, offsets: this.#put(new Uint8Array(offsets.buffer))!, children: [item] };
    }
    const children = node.children.map(child => this.vector(child, repetition, definition));
    if (children.some(child => child.length !== length)) throw uneven(node);
    return { ...base, children };
  }

  /** `validity` is null where no value is null. */
  #validity(
    node: Node,
    leaf: Leaf,
    repetition: number,
    definition: number,
  ): { length: number; validity: Uint8Array | null } {
    const parts = this.#parts.get(leaf)!;
    const entries = parts.reduce((sum, { from, to }) => sum + to - from, 0);
    if (parts.every(({ page }) => page.definition === null && page.repetition === null))
      return { length: entries, validity: null };
    const levels = this.#levelsOf(leaf);
    const bits = this.#memory.bytes((entries + 7) >> 3);
    let [length, valid] = [0, 0];
    for (let i = 0; i < entries; i++) {
      const level = levels.definition[i]!;
      if (levels.repetition[i]! > repetition || level < definition) continue;
      if (level >= node.definition) {
        bits[length >> 3]! |= 1 << (length & 7);
        valid++;
      }
      length++;
    }
    return { length, validity: valid === length ? null : bits.subarray(0, (length + 7) >> 3) };
  }

  #offsets(
    { itemDefinition, itemRepetition }: ListNode,
    leaf: Leaf,
    repetition: number,
    definition: number,
    length: number,
  ): { offsets: Uint32Array<ArrayBuffer>; items: number } {
    const levels = this.#levelsOf(leaf);
    const offsets = this.#memory.integers(length + 1);
    let [slot, items] = [0, 0];
    for (let i = 0; i < levels.definition.length; i++) {
      const level = levels.definition[i]!;
      const repeated = levels.repetition[i]!;
      if (repeated <= repetition && level >= definition) offsets[slot++] = items;
      if (repeated > itemRepetition || level < itemDefinition) continue;
      if (slot === 0) throw damaged(`a page of ${quoted(leaf.path)} begins inside a list`);
      items++;
    }
    offsets[slot] = items;
    return { offsets, items };
  }

  #levelsOf(leaf: Leaf): Levels {
    const known = this.#levels.get(leaf);
    if (known) return known;
    const parts = this.#parts.get(leaf)!;
    const entries = parts.reduce((sum, { from, to }) => sum + to - from, 0);
    const levels = { definition: this.#memory.bytes(entries), repetition: this.#memory.bytes(entries) };
    let at = 0;
    for (const { page, from, to } of parts) {
      if (page.definition === null) levels.definition.fill(leaf.maxDefinition, at, at + to - from);
      else levels.definition.set(page.definition.subarray(from, to), at);
      if (page.repetition !== null) levels.repetition.set(page.repetition.subarray(from, to), at);
      at += to - from;
    }
    this.#levels.set(leaf, levels);
    return levels;
  }

  #put<Given extends Uint8Array | null>(bytes: Given): Given extends null ? Region | null : Region;
  #put(bytes: Uint8Array | null): Region | null {
    if (bytes === null) return null;
    const at = this.#space.allocate(bytes.length);
    this.#space.bytes().set(bytes, at);
    return { at, length: bytes.length };
  }
}

const uneven = ({ field }: Node) =>
  damaged(`the parts of the column ${quoted(field.name)} have different lengths`);

/** Where values are placed. `length`: values and nulls; `validity`: a bit for each, 0 for a null; null if there are no nulls. */
interface Placing {
  length: number;
  validity: Uint8Array | null;
  space: Space;
  memory: Memory;
}

/** The values behind each other, with room for those that are null. */
function placed(
  { type, leaf }: LeafNode,
  parts: Part[],
  placing: Placing,
): Pick<Vector, 'values'> | Pick<Vector, 'values' | 'offsets'> {
  const { length, validity, space, memory } = placing;
  const slots = new Slots(validity);
  const present = parts.reduce((sum, { valueFrom, valueTo }) => sum + valueTo - valueFrom, 0);
  if (validity === null && present !== length) throw damaged(`the column ${quoted(leaf.path)} lacks values`);
  if (type.convert === 'uuid')
    return placedTexts(
      parts.map(part => uuids(part, memory)),
      slots,
      placing,
    );
  const isText = type.layout === Layout.TEXT32 || type.layout === Layout.BYTES32;
  if (isText) return placedTexts(parts, slots, placing);
  if (type.layout === Layout.BOOLEAN) return { values: placedBits(parts, slots, placing) };
  const width = type.convert === 'decimal' ? decimalBytes(type.parameter) : widthOf(parts);
  const values = region(length * width, space);
  const target = { bytes: space.bytes(), at: values.at, slots };
  for (const { page, valueFrom, valueTo } of parts) {
    if (type.convert === 'decimal') copyDecimals(page.values, valueFrom, valueTo, width, target);
    else if (!isTexts(page.values)) copyFixed(page.values.bytes, valueFrom, valueTo, width, target);
  }
  return { values };
}

const region = (length: number, space: Space): Region => ({ at: space.allocate(length), length });

/** Of the first page with values. Pages without any have no width. */
function widthOf(parts: Part[]): number {
  const part = parts.find(({ valueFrom, valueTo }) => valueTo > valueFrom);
  return part && !isTexts(part.page.values) ? part.page.values.width : 8;
}

/** The places of values among nulls, in order. */
class Slots {
  #next = 0;

  constructor(readonly validity: Uint8Array | null) {}

  next(): number {
    const { validity } = this;
    if (validity !== null) while (((validity[this.#next >> 3]! >> (this.#next & 7)) & 1) === 0) this.#next++;
    return this.#next++;
  }

  /** The first of `count` places; only without nulls. */
  skip(count: number): number {
    this.#next += count;
    return this.#next - count;
  }
}

interface Target {
  bytes: Uint8Array;
  at: number;
  slots: Slots;
}

/** Values of more bytes are copied by a call, not byte by byte. */
const LONG_BYTES = 64;

function copyFixed(
  from: Uint8Array,
  begin: number,
  end: number,
  width: number,
  { bytes, at, slots }: Target,
): void {
  if (slots.validity === null) {
    bytes.set(from.subarray(begin * width, end * width), at + slots.skip(end - begin) * width);
    return;
  }
  for (let i = begin; i < end; i++) {
    const target = at + slots.next() * width;
    if (width > LONG_BYTES) bytes.set(from.subarray(i * width, (i + 1) * width), target);
    else for (let k = 0; k < width; k++) bytes[target + k] = from[i * width + k]!;
  }
}

/** Big-endian integers of any width as little-endian ones of the layout's. */
function copyDecimals(
  values: Values,
  from: number,
  to: number,
  width: number,
  { bytes, at, slots }: Target,
): void {
  for (let i = from; i < to; i++) {
    const begin = isTexts(values) ? values.begins[i]! : i * values.width;
    const end = isTexts(values) ? values.ends[i]! : begin + values.width;
    if (end - begin > width) throw damaged('a decimal has too many bytes');
    const target = at + slots.next() * width;
    bytes.fill(end > begin && values.bytes[begin]! >= 0x80 ? 0xff : 0, target, target + width);
    for (let k = 0; k < end - begin; k++) bytes[target + k] = values.bytes[end - 1 - k]!;
  }
}

function placedBits(parts: Part[], slots: Slots, { length, space }: Placing): Region {
  const values = region((length + 7) >> 3, space);
  const bytes = space.bytes();
  bytes.fill(0, values.at, values.at + values.length);
  for (const { page, valueFrom, valueTo } of parts)
    for (let i = valueFrom; i < valueTo; i++) {
      const slot = slots.next();
      bytes[values.at + (slot >> 3)]! |= page.values.bytes[i]! << (slot & 7);
    }
  return values;
}

/** Shorter texts are copied quicker without a call. */
const SHORT_BYTES = 24;

type TextPart = Pick<Part, 'valueFrom' | 'valueTo'> & { page: { values: Values } };

function placedTexts(
  parts: TextPart[],
  slots: Slots,
  { length, space, memory }: Placing,
): Pick<Vector, 'values' | 'offsets'> {
  const lengths = memory.integers(length + 1);
  let total = 0;
  for (const { page, valueFrom, valueTo } of parts) {
    const { begins, ends } = page.values as Texts;
    for (let i = valueFrom; i < valueTo; i++) total += lengths[slots.next() + 1] = ends[i]! - begins[i]!;
  }
  const values = region(total, space);
  const offsets = region(lengths.byteLength, space);
  for (let i = 0; i < length; i++) lengths[i + 1]! += lengths[i]!;
  const target = space.bytes();
  target.set(new Uint8Array(lengths.buffer), offsets.at);
  let at = values.at;
  for (const { page, valueFrom, valueTo } of parts) {
    const { begins, ends, bytes } = page.values as Texts;
    for (let i = valueFrom; i < valueTo; i++) {
      const [begin, end] = [begins[i]!, ends[i]!];
      if (end - begin > SHORT_BYTES) target.set(bytes.subarray(begin, end), at);
      else for (let k = begin; k < end; k++) target[at + k - begin] = bytes[k]!;
      at += end - begin;
    }
  }
  return { values, offsets };
}

const UUID_BYTES = 16;
const UUID_TEXT_BYTES = 36;
const HYPHEN = 0x2d;
/** A hyphen comes before each of these bytes of a UUID. */
const HYPHENS = new Set([4, 6, 8, 10]);
const DIGITS = new TextEncoder().encode('0123456789abcdef');

function uuids({ page, valueFrom, valueTo }: Part, memory: Memory): TextPart {
  const count = valueTo - valueFrom;
  const bytes = memory.bytes(count * UUID_TEXT_BYTES);
  const [begins, ends] = [memory.integers(count), memory.integers(count)];
  for (let i = 0; i < count; i++) {
    let at = i * UUID_TEXT_BYTES;
    begins[i] = at;
    for (let k = 0; k < UUID_BYTES; k++) {
      const byte = page.values.bytes[(valueFrom + i) * UUID_BYTES + k]!;
      if (HYPHENS.has(k)) bytes[at++] = HYPHEN;
      bytes[at++] = DIGITS[byte >> 4]!;
      bytes[at++] = DIGITS[byte & 15]!;
    }
    ends[i] = at;
  }
  return { page: { values: { bytes, begins, ends } }, valueFrom: 0, valueTo: count };
}
