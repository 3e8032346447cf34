/** What is read of a file's directory and of the headers of its pages: members of the structs in parquet.thrift. */
import {
  flag,
  anyStruct,
  i32,
  i64,
  i8,
  type Member,
  structType,
  type Struct,
  struct,
  T,
  type Thrift,
  text,
} from './thrift.ts';

const names = (all: string): string[] => all.split(' ');
const TYPES = names('BOOLEAN INT32 INT64 INT96 FLOAT DOUBLE BYTE_ARRAY FIXED_LEN_BYTE_ARRAY');
const REPETITIONS = names('REQUIRED OPTIONAL REPEATED');
const CODECS = names('UNCOMPRESSED SNAPPY GZIP LZO BROTLI LZ4 ZSTD LZ4_RAW');
const PAGES = names('DATA_PAGE INDEX_PAGE DICTIONARY_PAGE DATA_PAGE_V2');
const ENCODINGS = names(
  'PLAIN 1 PLAIN_DICTIONARY RLE BIT_PACKED DELTA_BINARY_PACKED DELTA_LENGTH_BYTE_ARRAY DELTA_BYTE_ARRAY RLE_DICTIONARY BYTE_STREAM_SPLIT',
);

/** An enumeration, as the name of its number. A number without a name is its own. */
const named = (id: number, names: readonly string[]): Member<string> => ({
  id,
  type: T.I32,
  read(thrift) {
    const value = thrift.integer();
    return names[value] ?? String(value);
  },
});

/** Digits of a fraction of a second. */
export type Digits = 3 | 6 | 9;

/** What the values of a physical type mean. */
export type Meaning =
  | { kind: 'STRING' | 'MAP' | 'LIST' | 'DATE' | 'JSON' | 'UUID' | 'FLOAT16' }
  | { kind: 'DECIMAL'; precision: number; scale: number }
  | { kind: 'TIME' | 'TIMESTAMP'; digits: Digits; isUtc: boolean }
  | { kind: 'INTEGER'; bits: number; isSigned: boolean };

const integer = (bits: number, isSigned: boolean): Meaning => ({ kind: 'INTEGER', bits, isSigned });
const utc = (kind: 'TIME' | 'TIMESTAMP', digits: Digits): Meaning => ({ kind, digits, isUtc: true });
const decimal = (precision = 0, scale = 0): Meaning => ({ kind: 'DECIMAL', precision, scale });

/** `ConvertedType`. The digits of DECIMAL are members of their own. */
const CONVERTED: Meaning[] = [
  { kind: 'STRING' },
  { kind: 'MAP' },
  { kind: 'MAP' },
  { kind: 'LIST' },
  { kind: 'STRING' },
  decimal(),
  { kind: 'DATE' },
  utc('TIME', 3),
  utc('TIME', 6),
  utc('TIMESTAMP', 3),
  utc('TIMESTAMP', 6),
  ...[8, 16, 32, 64].map(bits => integer(bits, false)),
  ...[8, 16, 32, 64].map(bits => integer(bits, true)),
  { kind: 'JSON' },
];

const UNIT = structType({ micros: anyStruct(2), nanos: anyStruct(3) });
const MOMENT = structType({ isUtc: flag(1), unit: struct(2, UNIT) });

function momentOf(kind: 'TIME' | 'TIMESTAMP', { isUtc = false, unit }: Struct<typeof MOMENT>): Meaning {
  return { kind, isUtc, digits: unit?.nanos ? 9 : unit?.micros ? 6 : 3 };
}

/** `LogicalType`, a union. */
const LOGICAL = structType({
  STRING: anyStruct(1),
  MAP: anyStruct(2),
  LIST: anyStruct(3),
  ENUM: anyStruct(4),
  DECIMAL: struct(5, structType({ scale: i32(1), precision: i32(2) })),
  DATE: anyStruct(6),
  TIME: struct(7, MOMENT),
  TIMESTAMP: struct(8, MOMENT),
  INTEGER: struct(10, structType({ bits: i8(1), isSigned: flag(2) })),
  JSON: anyStruct(12),
  UUID: anyStruct(14),
  FLOAT16: anyStruct(15),
});
const PLAIN = ['STRING', 'MAP', 'LIST', 'DATE', 'JSON', 'UUID', 'FLOAT16'] as const;

const ELEMENT = structType({
  type: named(1, TYPES),
  width: i32(2),
  repetition: named(3, REPETITIONS),
  name: text(4),
  children: i32(5),
  converted: i32(6),
  scale: i32(7),
  precision: i32(8),
  logical: struct(10, LOGICAL),
});

/** `SchemaElement`: a column, or a group of columns, which has no type. `width`: of a FIXED_LEN_BYTE_ARRAY, in bytes. */
export type SchemaElement = ReturnType<typeof elementIn>;

export function elementIn(thrift: Thrift) {
  const { type = null, width = 0, repetition = 'REQUIRED', name = '', ...rest } = thrift.struct(ELEMENT);
  return { type, width, repetition, name, children: rest.children ?? 0, meaning: meaningOf(rest) };
}

/** The logical type, else the older converted one. */
function meaningOf({
  converted = -1,
  scale,
  precision,
  logical,
}: Pick<Struct<typeof ELEMENT>, 'converted' | 'scale' | 'precision' | 'logical'>): Meaning | null {
  const { DECIMAL, TIME, TIMESTAMP, INTEGER, ENUM } = logical ?? {};
  if (DECIMAL) return decimal(DECIMAL.precision ?? precision, DECIMAL.scale ?? scale);
  if (TIME) return momentOf('TIME', TIME);
  if (TIMESTAMP) return momentOf('TIMESTAMP', TIMESTAMP);
  if (INTEGER) return integer(INTEGER.bits ?? 0, INTEGER.isSigned ?? false);
  const kind = ENUM ? 'STRING' : PLAIN.find(each => logical?.[each]);
  if (kind) return { kind };
  const old = CONVERTED[converted] ?? null;
  return old?.kind === 'DECIMAL' ? decimal(precision, scale) : old;
}

/** `ColumnChunk`. */
export const CHUNK = structType({
  column: struct(
    3,
    structType({
      codec: named(4, CODECS),
      values: i64(5),
      length: i64(7),
      pagesAt: i64(9),
      dictionaryAt: i64(11),
    }),
  ),
  encryption: anyStruct(8),
});

export const PAGE_HEADER = structType({
  type: named(1, PAGES),
  /** In bytes, decompressed. */
  plainSize: i32(2),
  /** In bytes, as it is in the file. */
  size: i32(3),
  crc: i32(4),
  data: struct(5, structType({ values: i32(1), encoding: named(2, ENCODINGS) })),
  dictionary: struct(7, structType({ values: i32(1) })),
  data2: struct(
    8,
    structType({
      values: i32(1),
      encoding: named(4, ENCODINGS),
      definitionBytes: i32(5),
      repetitionBytes: i32(6),
      isCompressed: flag(7),
    }),
  ),
});
export type PageHeader = Struct<typeof PAGE_HEADER>;
