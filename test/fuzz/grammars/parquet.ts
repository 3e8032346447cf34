/** Parquet files, valid and nearly so: every type, encoding and codec, levels as any runs, and counts that are large or at an edge. */
import type { Choices } from '../choices.ts';
import { type Input, inputOf } from '../input.ts';
import {
  Bytes,
  compressed,
  damaged,
  joined,
  little,
  lz4Of,
  type Part,
  snappyOf,
  varint,
  zigzag,
} from './bytes.ts';

const [I32, I64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12] as const;

/** Values of Thrift's compact protocol. */
interface Value {
  type: number;
  bytes: Uint8Array;
}
const i32 = (value: number | bigint): Value => ({ type: I32, bytes: joined(zigzag(value)) });
const i64 = (value: number | bigint): Value => ({ type: I64, bytes: joined(zigzag(value)) });
const text = (value: string): Value => ({ type: BINARY, bytes: joined(varint(value.length), value) });
const list = (type: number, values: readonly Value[], size: number | bigint = values.length): Value => ({
  type: LIST,
  bytes: joined([0xf0 | type], varint(size), ...values.map(({ bytes }) => bytes)),
});
/** Fields by their ids, which ascend. */
function struct(fields: Record<number, Value | null>): Value {
  let last = 0;
  const parts = Object.entries(fields).flatMap(([id, value]): Part[] => {
    if (value === null) return [];
    const head = ((Number(id) - last) << 4) | value.type;
    last = Number(id);
    return [[head], value.bytes];
  });
  return { type: STRUCT, bytes: joined(...parts, [0]) };
}

/** Texts twice: they have the most encodings. */
const TYPES = [
  'INT32',
  'BYTE_ARRAY',
  'BOOLEAN',
  'INT64',
  'BYTE_ARRAY',
  'INT96',
  'FLOAT',
  'DOUBLE',
  'FIXED',
] as const;
type Type = (typeof TYPES)[number];
const TYPE_IDS: Record<Type, number> = {
  BOOLEAN: 0,
  INT32: 1,
  INT64: 2,
  INT96: 3,
  FLOAT: 4,
  DOUBLE: 5,
  BYTE_ARRAY: 6,
  FIXED: 7,
};
const WIDTHS: Partial<Record<Type, number>> = { INT32: 4, FLOAT: 4, INT64: 8, DOUBLE: 8, INT96: 12 };

const ENCODINGS = {
  PLAIN: 0,
  RLE: 3,
  DELTA_BINARY_PACKED: 5,
  DELTA_LENGTH_BYTE_ARRAY: 6,
  DELTA_BYTE_ARRAY: 7,
  RLE_DICTIONARY: 8,
  BYTE_STREAM_SPLIT: 9,
  PLAIN_DICTIONARY: 2,
  unknown: 99,
};
type Encoding = keyof typeof ENCODINGS;
/** Those that a type may have. */
const ENCODINGS_OF: Record<Type, Encoding[]> = {
  BOOLEAN: ['PLAIN', 'RLE'],
  INT32: ['PLAIN', 'DELTA_BINARY_PACKED', 'RLE_DICTIONARY', 'BYTE_STREAM_SPLIT'],
  INT64: ['PLAIN', 'DELTA_BINARY_PACKED', 'RLE_DICTIONARY', 'BYTE_STREAM_SPLIT'],
  INT96: ['PLAIN', 'RLE_DICTIONARY'],
  FLOAT: ['PLAIN', 'RLE_DICTIONARY', 'BYTE_STREAM_SPLIT'],
  DOUBLE: ['PLAIN', 'RLE_DICTIONARY', 'BYTE_STREAM_SPLIT'],
  BYTE_ARRAY: ['PLAIN', 'DELTA_LENGTH_BYTE_ARRAY', 'DELTA_BYTE_ARRAY', 'RLE_DICTIONARY'],
  FIXED: ['PLAIN', 'DELTA_BYTE_ARRAY', 'RLE_DICTIONARY', 'BYTE_STREAM_SPLIT'],
};

const CODECS = { UNCOMPRESSED: 0, GZIP: 2, ZSTD: 6, SNAPPY: 1, LZ4_RAW: 7, BROTLI: 4, LZ4: 5, unknown: 9 };
type Codec = keyof typeof CODECS;
const CODEC_NAMES: Codec[] = ['UNCOMPRESSED', 'GZIP', 'ZSTD', 'SNAPPY', 'LZ4_RAW', 'BROTLI', 'LZ4'];

/** Old and new names of what a type means. */
const CONVERTED = [null, 0, 4, 5, 6, 7, 9, 10, 17, 19, 20, 21];

const MAX_ROWS = 10_000;
const MAX_VALUES = 2_000_000;
/** Of the pages of a file before they are compressed: mostly few bytes, so that inputs are many, and at most what a body may have. */
const PLAIN_BYTES = [20_000, 20_000, 20_000, 300_000, 300_000, 4_000_000, 4_000_000, 33_500_000];
/** Of the pages that are not compressed. */
const SENT_BYTES = 1_000_000;

/** What pages may still have. */
interface Room {
  bytes: number;
  values: number;
}

interface Column {
  name: string;
  type: Type;
  width: number;
  /** 0: each value is there; 1: or null; 2: a list. */
  repetition: number;
  element: Value;
  codec: Codec;
}

export function parquet(c: Choices): Input {
  const columns = c.list(3, i => columnOf(c, i));
  const groups: Value[] = [];
  const file = new Bytes().add('PAR1');
  const room = { bytes: c.pick(PLAIN_BYTES), values: c.pick([10_000, MAX_VALUES, 2 * MAX_VALUES]) };
  const groupCount = c.once(6) ? 1 + c.below(3) : 1;
  for (let group = 0; group < groupCount; group++) {
    const rows = columns.every(({ repetition }) => repetition === 2)
      ? 1
      : c.count(Math.min(MAX_ROWS, room.bytes / 100));
    const chunks = columns.map(column => chunkOf(c, column, rows, file, room));
    groups.push(struct({ 1: list(STRUCT, chunks), 2: i64(file.length), 3: i64(sometimes(c, rows)) }));
  }
  const root = struct({ 4: text('schema'), 5: i32(sometimes(c, columns.length)) });
  const footer = struct({
    1: i32(2),
    2: list(STRUCT, [root, ...columns.map(({ element }) => element)]),
    3: i64(1),
    4: list(STRUCT, groups),
    5: c.once(20) ? junk(c) : null,
  }).bytes;
  const bytes = file.add(footer).add(little(footer.length, 4)).add('PAR1').whole();
  return inputOf(c.once(8) ? damaged(bytes, count => c.below(count)) : bytes);
}

/** The number, or one at an edge in its place. */
const sometimes = (c: Choices, value: number): number | bigint => (c.once(150) ? c.edge() : value);

/** What no reader needs: lists of a length. */
const junk = (c: Choices): Value => ({
  type: LIST,
  bytes: new Bytes(8_000_000)
    .add([0xf0 | c.pick([LIST, 3, I32, STRUCT])])
    .add(varint(c.count(8_000_000)))
    .add([c.pick([0, 1, LIST])], c.count(8_000_000))
    .whole(),
});

function columnOf(c: Choices, i: number): Column {
  const type = c.pick(TYPES);
  const name = c.pick(['v', 'a', 'price', '__proto__', `${'n'.repeat(300)}`]) + i;
  const repetition = c.below(3);
  const width = type === 'FIXED' ? (c.once(24) ? 0 : c.pick([1, 2, 16, 12, 1000])) : (WIDTHS[type] ?? 0);
  const converted = c.pick(CONVERTED);
  const element = struct({
    1: i32(c.once(150) ? c.edge() : TYPE_IDS[type]),
    2: type === 'FIXED' ? i32(sometimes(c, width)) : null,
    3: i32(repetition),
    4: text(name),
    6: converted === null ? null : i32(converted),
    7: converted === 5 ? i32(c.once(12) ? 1_000_000 : c.pick([0, 2, -2, 200])) : null,
    8: converted === 5 ? i32(c.pick([9, 18, 38, 76, 0])) : null,
  });
  return { name, type, width, repetition, element, codec: c.once(40) ? 'unknown' : c.pick(CODEC_NAMES) };
}

/** Writes the pages of a column behind `file`, and says where they are. */
function chunkOf(c: Choices, column: Column, rows: number, file: Bytes, room: Room): Value {
  const at = file.length;
  const dictionary = c.once(3) ? c.count(100_000) : 0;
  if (dictionary > 0) file.add(dictionaryPage(c, column, dictionary, room));
  let total = 0;
  const pages = 1 + c.below(4);
  for (let page = 0; page < pages; page++) {
    const encoding = encodingOf(c, column, dictionary);
    const left = column.repetition === 2 ? Math.min(MAX_VALUES, room.values) : rows - total;
    const isLast = column.repetition < 2 && page === pages - 1;
    const bytes = c.once(24) ? 0 : bytesOfValue(column, encoding);
    const most = bytes === 0 ? MAX_VALUES : Math.floor(mostOf(column.codec, room) / bytes);
    const count = Math.min(left, isLast ? left : c.largely(MAX_VALUES), most);
    file.add(dataPage(c, column, { count, room, dictionary, encoding, isFirst: total === 0 }));
    total += count;
  }
  const length = file.length - at;
  const meta = struct({
    1: i32(TYPE_IDS[column.type]),
    2: list(I32, [i32(0)]),
    3: list(BINARY, [text(column.name)]),
    4: i32(CODECS[column.codec]),
    5: i64(sometimes(c, total)),
    6: i64(length),
    7: i64(sometimes(c, length)),
    9: i64(sometimes(c, at)),
  });
  return struct({ 2: i64(at), 3: meta });
}

function dictionaryPage(c: Choices, { type, width, codec }: Column, count: number, room: Room): Uint8Array {
  const plain = new Bytes(mostOf(codec, room));
  writePlain(c, plain, type, width, count);
  room.bytes -= plain.length;
  const page = pressed(plain, codec);
  const head = struct({ 1: i32(sometimes(c, count)), 2: i32(0) });
  return joined(
    struct({ 1: i32(2), 2: i32(sometimes(c, plain.length)), 3: i32(page.length), 7: head }).bytes,
    page,
  );
}

const mostOf = (codec: Codec, { bytes }: Room): number =>
  Math.max(0, codec === 'UNCOMPRESSED' || codec === 'unknown' ? Math.min(SENT_BYTES, bytes) : bytes);

function encodingOf(c: Choices, { type }: Column, dictionary: number): Encoding {
  const fitting = ENCODINGS_OF[type].filter(each => dictionary > 0 || each !== 'RLE_DICTIONARY');
  return c.once(24) ? c.pick(Object.keys(ENCODINGS) as Encoding[]) : c.pick(fitting);
}

/** At least. What is packed may take nearly nothing. */
function bytesOfValue({ type, width }: Column, encoding: Encoding): number {
  if (encoding === 'BYTE_STREAM_SPLIT') return width;
  if (encoding !== 'PLAIN') return 0;
  return type === 'BOOLEAN' ? 1 / 8 : type === 'BYTE_ARRAY' ? 12 : width;
}

interface PageShape {
  encoding: Encoding;
  count: number;
  room: Room;
  dictionary: number;
  isFirst: boolean;
}

function dataPage(
  c: Choices,
  column: Column,
  { encoding, count, room, dictionary, isFirst }: PageShape,
): Uint8Array {
  const { repetition, codec } = column;
  const most = mostOf(codec, room);
  const isNew = c.once(3);
  const levels = [
    repetition === 2 ? levelsOf(c, count, most, isFirst ? 0 : 1, 1) : null,
    repetition > 0 ? levelsOf(c, count, most, 1, c.pick([1, 0])) : null,
  ];
  const values = new Bytes(most);
  writeValues(c, values, column, { encoding, count, dictionary });
  room.values -= count;
  room.bytes -= values.length + levels.reduce((sum, each) => sum + (each?.length ?? 0), 0);
  const size = (bytes: Bytes | null) => bytes?.length ?? 0;
  if (isNew) {
    const packed = pressed(values, codec);
    const sizes = levels.map(size) as [number, number];
    const length = sizes[0] + sizes[1] + packed.length;
    const head = struct({
      1: i32(sometimes(c, count)),
      2: i32(0),
      3: i32(1),
      4: i32(ENCODINGS[encoding]),
      5: i32(sometimes(c, sizes[1])),
      6: i32(sometimes(c, sizes[0])),
    });
    const plain = sizes[0] + sizes[1] + values.length;
    const page = new Bytes();
    for (const each of levels) if (each !== null) page.append(each);
    return joined(
      struct({ 1: i32(3), 2: i32(sometimes(c, plain)), 3: i32(length), 8: head }).bytes,
      page.whole(),
      packed,
    );
  }
  const plain = new Bytes();
  for (const each of levels) if (each !== null) plain.add(little(each.length, 4)).append(each);
  plain.append(values);
  const packed = pressed(plain, codec);
  const head = struct({ 1: i32(sometimes(c, count)), 2: i32(ENCODINGS[encoding]), 3: i32(3), 4: i32(3) });
  const page = { 1: i32(0), 2: i32(sometimes(c, plain.length)), 3: i32(packed.length), 5: head };
  return joined(struct(page).bytes, packed);
}

function pressed(plain: Bytes, codec: Codec): Uint8Array {
  switch (codec) {
    case 'GZIP':
      return compressed(plain.whole(), 'gzip');
    case 'ZSTD':
      return compressed(plain.whole(), 'zstd');
    case 'BROTLI':
      return compressed(plain.whole(), 'br');
    case 'SNAPPY':
      return snappyOf(plain);
    case 'LZ4_RAW':
    case 'LZ4':
      return lz4Of(plain);
    default:
      return plain.whole();
  }
}

/** Levels of one bit: any runs first, then one of `first` and one of `rest` for all others. */
function levelsOf(c: Choices, count: number, most: number, first: number, rest: number): Bytes {
  const bytes = new Bytes(most);
  writeRuns(c, bytes, 1, c.once(3) ? 1 + c.below(3) : 0, [0, 1]);
  return bytes
    .add([2, first])
    .add(varint(Math.max(0, count - 1) * 2))
    .add([rest]);
}

const SPARE_BYTES = 64;
/** So many parts of a size fit, and what follows them. */
const fitting = ({ most, length }: Bytes, size: number): number =>
  Math.max(0, Math.floor((most - length - SPARE_BYTES) / size));

/** Runs of any length, each of them any number of times. */
function writeRuns(c: Choices, bytes: Bytes, width: number, runs: number, fills: readonly number[]): void {
  for (let run = 0; run < runs; run++) {
    const length = c.pick([1, 0, 8, 1000, c.count(MAX_VALUES)]);
    const times = Math.min(c.largely(33_000_000), fitting(bytes, Math.ceil(width / 8) + 1));
    const value = Array<number>(Math.ceil(width / 8)).fill(c.once(24) ? 255 : c.pick(fills));
    if (c.once(2))
      bytes.add(joined(varint(2 * length + 1), new Uint8Array(Math.min(length, 1000) * width)), times);
    else bytes.add(joined(varint(2 * length), value), times);
  }
}

function writeValues(
  c: Choices,
  bytes: Bytes,
  { type, width }: Column,
  { encoding, count, dictionary }: { encoding: Encoding; count: number; dictionary: number },
): void {
  switch (encoding) {
    case 'RLE': {
      const runs = new Bytes(bytes.most - 4);
      writeRuns(c, runs, 1, c.below(3), [0, 1]);
      runs.add(joined(varint(2 * count), [1]));
      bytes.add(little(sometimes(c, runs.length), 4)).append(runs);
      return;
    }
    case 'RLE_DICTIONARY':
    case 'PLAIN_DICTIONARY': {
      const bits = c.once(24) ? 33 : c.pick([1, 0, 8, 17, 32]);
      bytes.add([bits]);
      writeRuns(c, bytes, bits, c.below(3), [0]);
      const index = little(dictionary === 0 ? 0 : c.below(dictionary), Math.ceil(bits / 8));
      bytes.add(joined(varint(2 * count), index));
      return;
    }
    case 'DELTA_BINARY_PACKED':
      writeDeltas(c, bytes, count, false);
      return;
    case 'DELTA_LENGTH_BYTE_ARRAY':
      writeDeltas(c, bytes, count, true);
      bytes.add('x', c.largely(1_000_000));
      return;
    case 'DELTA_BYTE_ARRAY':
      writeDeltas(c, bytes, count, true);
      writeDeltas(c, bytes, count, true);
      bytes.add('x', c.largely(8_000_000));
      return;
    case 'BYTE_STREAM_SPLIT':
      bytes.add([c.pick([0, 1, 255])], count * width);
      return;
    default:
      writePlain(c, bytes, type, width, count);
  }
}

/** `count` numbers as blocks of deltas of one width. */
function writeDeltas(c: Choices, bytes: Bytes, count: number, areLengths: boolean): void {
  const miniblocks = c.once(24) ? c.pick([0, 4096]) : c.pick([4, 1, 2, 16]);
  const each = c.once(24) ? c.pick([7, 1_000_000]) : c.pick([32, 8, 128, 1024]);
  const block = miniblocks * each;
  const room = (8 * (bytes.most - bytes.length)) / Math.max(count, 1);
  const width = c.once(24) ? 65 : c.pick([0, 0, 0, 1, 8, 31, 32, 33, 63, 64].filter(bits => bits <= room));
  // Lengths mostly stay as they are: others add up to more than there is.
  const isTame = areLengths && !c.once(4);
  const first = c.pick(isTame ? [0n, 1n] : [0n, 1n, 1000n, c.edge()]);
  const least = c.pick(isTame ? [0n, 0n, 1n] : [0n, 1n, -1n, c.edge()]);
  const fill = isTame ? 0 : c.pick([0, 0x55, 255]);
  bytes.add(joined(varint(block), varint(miniblocks), varint(sometimes(c, count)), zigzag(first)));
  if (block === 0) return;
  const packed = new Uint8Array(Math.ceil((each * width) / 8)).fill(fill);
  // A miniblock that nobody asks for may be left out, so the last block may be shorter.
  const left = Math.max(0, count - 1);
  const head = joined(zigzag(least), new Uint8Array(miniblocks).fill(width));
  if (miniblocks * packed.length < 1_000_000) {
    const whole = new Bytes().add(head).add(packed, miniblocks).whole();
    bytes.add(whole, Math.ceil(left / block));
  } else bytes.add(head).add(packed, miniblocks);
}

function writePlain(c: Choices, bytes: Bytes, type: Type, width: number, count: number): void {
  if (type === 'BOOLEAN') bytes.add([c.pick([0, 0x55, 255])], Math.ceil(count / 8));
  else if (type === 'BYTE_ARRAY') {
    const length = c.pick([1, 0, 8, 100, 3000]);
    const one = joined(
      little(sometimes(c, length), 4),
      new Uint8Array(length).fill(c.pick([0x61, 0x30, 255])),
    );
    bytes.add(one, count);
  } else bytes.add(new Uint8Array(width).fill(c.pick([0, 1, 255])), count);
}
