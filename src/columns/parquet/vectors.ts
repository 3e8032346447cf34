/** Puts the values of a row group, or of some of its rows, into buffers as Arrow lays them out. */
import { Layout } from '../../../assembly/abi.ts';
import type { Pieces } from '../../cooperative-yield.ts';
import { decimalBytes } from '../arrow/types.ts';
import { NOTHING, type Region, type Space, type Vector } from '../field.ts';
import { damaged } from './damaged.ts';
import type { LeafCursor, Part } from './leaf-cursor.ts';
import { type LeafNode, type ListNode, leavesOf, type Node } from './nodes.ts';
import type { Leaf } from './pages.ts';
import { isTexts, type Texts, type Values } from './values.ts';
import { quoted } from '../../errors.ts';

/** A column of a row group. */
export interface OpenColumn {
  node: Node;
  /** One for each leaf, in the order of `leavesOf`. */
  cursors: LeafCursor[];
}

/** The next `rows` rows of a column. Throws `ColumnsError`. */
export function* vectorOf({ node, cursors }: OpenColumn, rows: number, space: Space): Pieces<Vector> {
  const taken: Part[][] = [];
  for (const cursor of cursors) taken.push(yield* cursor.take(rows));
  const leaves = leavesOf(node);
  const parts = new Map(leaves.map(({ leaf }, i) => [leaf, taken[i]!]));
  const vector = yield* new Builder(parts, space).vector(node, 0, 0);
  if (vector.length !== rows)
    throw damaged(
      `the column ${quoted(node.field.name)} has ${vector.length} rows, and its row group ${rows}`,
    );
  return vector;
}

/** The levels of a leaf's entries. */
interface Levels {
  definition: Uint32Array;
  repetition: Uint32Array;
}

/** Entries whose levels are read between two pauses. */
const ENTRIES_A_PIECE = 65_536;

class Builder {
  readonly #parts: Map<Leaf, Part[]>;
  readonly #space: Space;
  readonly #levels = new Map<Leaf, Levels>();

  constructor(parts: Map<Leaf, Part[]>, space: Space) {
    this.#parts = parts;
    this.#space = space;
  }

  /** The values whose entries have at most `repetition` and at least `definition`: one for each item of the list around. */
  *vector(node: Node, repetition: number, definition: number): Pieces<Vector> {
    yield;
    const vector = { field: node.field, offsets: NOTHING, values: NOTHING, buffers: [], children: [] };
    if (node.kind === 'leaf') {
      const { length, validity } = yield* this.#validity(node, node.leaf, repetition, definition);
      const parts = this.#parts.get(node.leaf)!;
      return {
        ...vector,
        length,
        validity: this.#put(validity),
        ...(yield* placed(node, parts, length, validity, this.#space)),
      };
    }
    const [{ leaf }] = leavesOf(node) as [LeafNode];
    const { length, validity } = yield* this.#validity(node, leaf, repetition, definition);
    const base = { ...vector, length, validity: this.#put(validity) };
    if (node.kind === 'list') {
      const { offsets, items } = yield* this.#offsets(node, leaf, repetition, definition, length);
      const item = yield* this.vector(node.item, node.itemRepetition, node.itemDefinition);
      if (item.length !== items) throw uneven(node);
      return { ...base, offsets: this.#put(new Uint8Array(offsets.buffer))!, children: [item] };
    }
    const children: Vector[] = [];
    for (const child of node.children) children.push(yield* this.vector(child, repetition, definition));
    if (children.some(child => child.length !== length)) throw uneven(node);
    return { ...base, children };
  }

  /** `validity` is null where no value is null. */
  *#validity(
    node: Node,
    leaf: Leaf,
    repetition: number,
    definition: number,
  ): Pieces<{ length: number; validity: Uint8Array | null }> {
    const parts = this.#parts.get(leaf)!;
    const entries = parts.reduce((sum, { from, to }) => sum + to - from, 0);
    if (parts.every(({ page }) => page.definition === null && page.repetition === null))
      return { length: entries, validity: null };
    const levels = yield* this.#levelsOf(leaf);
    const bits = new Uint8Array((entries + 7) >> 3);
    let [length, valid] = [0, 0];
    for (let i = 0; i < entries; i++) {
      if (i % ENTRIES_A_PIECE === ENTRIES_A_PIECE - 1) yield;
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

  *#offsets(
    { itemDefinition, itemRepetition }: ListNode,
    leaf: Leaf,
    repetition: number,
    definition: number,
    length: number,
  ): Pieces<{ offsets: Uint32Array<ArrayBuffer>; items: number }> {
    const levels = yield* this.#levelsOf(leaf);
    const offsets = new Uint32Array(length + 1);
    let [slot, items] = [0, 0];
    for (let i = 0; i < levels.definition.length; i++) {
      if (i % ENTRIES_A_PIECE === ENTRIES_A_PIECE - 1) yield;
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

  *#levelsOf(leaf: Leaf): Pieces<Levels> {
    const known = this.#levels.get(leaf);
    if (known) return known;
    const parts = this.#parts.get(leaf)!;
    const entries = parts.reduce((sum, { from, to }) => sum + to - from, 0);
    const levels = { definition: new Uint32Array(entries), repetition: new Uint32Array(entries) };
    let at = 0;
    for (const { page, from, to } of parts) {
      if (page.definition === null) levels.definition.fill(leaf.maxDefinition, at, at + to - from);
      else levels.definition.set(page.definition.subarray(from, to), at);
      if (page.repetition !== null) levels.repetition.set(page.repetition.subarray(from, to), at);
      at += to - from;
      yield;
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

/** The values behind each other, with room for those that are null. */
function* placed(
  { type, leaf }: LeafNode,
  parts: Part[],
  length: number,
  validity: Uint8Array | null,
  space: Space,
): Pieces<Pick<Vector, 'values'> | Pick<Vector, 'values' | 'offsets'>> {
  yield;
  const slots = new Slots(validity);
  const present = parts.reduce((sum, { valueFrom, valueTo }) => sum + valueTo - valueFrom, 0);
  if (validity === null && present !== length) throw damaged(`the column ${quoted(leaf.path)} lacks values`);
  if (type.convert === 'uuid') return yield* placedTexts(parts.map(uuids), length, slots, space);
  const isText = type.layout === Layout.TEXT32 || type.layout === Layout.BYTES32;
  if (isText) return yield* placedTexts(parts, length, slots, space);
  if (type.layout === Layout.BOOLEAN) return { values: yield* placedBits(parts, length, slots, space) };
  const width = type.convert === 'decimal' ? decimalBytes(type.parameter) : widthOf(parts);
  const values = region(length * width, space);
  const memory = space.bytes();
  for (const { page, valueFrom, valueTo } of parts) {
    if (type.convert === 'decimal')
      copyDecimals(page.values, valueFrom, valueTo, width, { memory, at: values.at, slots });
    else if (!isTexts(page.values))
      copyFixed(page.values.bytes, valueFrom, valueTo, width, { memory, at: values.at, slots });
    yield;
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
  memory: Uint8Array;
  at: number;
  slots: Slots;
}

function copyFixed(
  bytes: Uint8Array,
  from: number,
  to: number,
  width: number,
  { memory, at, slots }: Target,
): void {
  if (slots.validity === null) {
    memory.set(bytes.subarray(from * width, to * width), at + slots.skip(to - from) * width);
    return;
  }
  for (let i = from; i < to; i++) {
    const target = at + slots.next() * width;
    for (let k = 0; k < width; k++) memory[target + k] = bytes[i * width + k]!;
  }
}

/** Big-endian integers of any width as little-endian ones of the layout's. */
function copyDecimals(
  values: Values,
  from: number,
  to: number,
  width: number,
  { memory, at, slots }: Target,
): void {
  for (let i = from; i < to; i++) {
    const begin = isTexts(values) ? values.begins[i]! : i * values.width;
    const end = isTexts(values) ? values.ends[i]! : begin + values.width;
    if (end - begin > width) throw damaged('a decimal has too many bytes');
    const target = at + slots.next() * width;
    memory.fill(end > begin && values.bytes[begin]! >= 0x80 ? 0xff : 0, target, target + width);
    for (let k = 0; k < end - begin; k++) memory[target + k] = values.bytes[end - 1 - k]!;
  }
}

function* placedBits(parts: Part[], length: number, slots: Slots, space: Space): Pieces<Region> {
  const values = region((length + 7) >> 3, space);
  const memory = space.bytes();
  memory.fill(0, values.at, values.at + values.length);
  for (const { page, valueFrom, valueTo } of parts) {
    for (let i = valueFrom; i < valueTo; i++) {
      const slot = slots.next();
      memory[values.at + (slot >> 3)]! |= page.values.bytes[i]! << (slot & 7);
    }
    yield;
  }
  return values;
}

/** Shorter texts are copied quicker without a call. */
const SHORT_BYTES = 24;

function* placedTexts(
  parts: { page: { values: Values }; valueFrom: number; valueTo: number }[],
  length: number,
  slots: Slots,
  space: Space,
): Pieces<Pick<Vector, 'values' | 'offsets'>> {
  const lengths = new Uint32Array(length + 1);
  let total = 0;
  for (const { page, valueFrom, valueTo } of parts) {
    const { begins, ends } = page.values as Texts;
    for (let i = valueFrom; i < valueTo; i++) total += lengths[slots.next() + 1] = ends[i]! - begins[i]!;
    yield;
  }
  for (let i = 0; i < length; i++) lengths[i + 1]! += lengths[i]!;
  const values = region(total, space);
  const offsets = region(lengths.byteLength, space);
  const memory = space.bytes();
  memory.set(new Uint8Array(lengths.buffer), offsets.at);
  let at = values.at;
  for (const { page, valueFrom, valueTo } of parts) {
    const { begins, ends, bytes } = page.values as Texts;
    for (let i = valueFrom; i < valueTo; i++) {
      const [begin, end] = [begins[i]!, ends[i]!];
      if (end - begin > SHORT_BYTES) memory.set(bytes.subarray(begin, end), at);
      else for (let k = begin; k < end; k++) memory[at + k - begin] = bytes[k]!;
      at += end - begin;
    }
    yield;
  }
  return { values, offsets };
}

const UUID_BYTES = 16;
const UUID_TEXT_BYTES = 36;

function uuids({ page, valueFrom, valueTo }: Part): Parameters<typeof placedTexts>[0][number] {
  const count = valueTo - valueFrom;
  const bytes = new Uint8Array(count * UUID_TEXT_BYTES);
  const begins = Uint32Array.from({ length: count }, (_, i) => i * UUID_TEXT_BYTES);
  for (let i = 0; i < count; i++) {
    const at = (valueFrom + i) * UUID_BYTES;
    const hex = Buffer.from(page.values.bytes.subarray(at, at + UUID_BYTES)).toString('hex');
    new TextEncoder().encodeInto(
      hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      bytes.subarray(begins[i]!),
    );
  }
  const ends = begins.map(begin => begin + UUID_TEXT_BYTES);
  return { page: { values: { bytes, begins, ends } }, valueFrom: 0, valueTo: count };
}
