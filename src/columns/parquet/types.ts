/** The types of Parquet: how the values of each are laid out as those of Arrow, and what pyarrow calls them. */
import type { SchemaElement } from 'hyparquet';
import { Layout } from '../../../assembly/abi.ts';
import { decimalParameter } from '../arrow/types.ts';
import { notRead } from './damaged.ts';

export interface LeafType {
  layout: Layout;
  parameter: number;
  physicalType: string;
  isJson: boolean;
  /** How the bytes of a value become those of the layout; null: they are. */
  convert: 'decimal' | 'uuid' | null;
}

const type = (layout: Layout, physicalType: string, parameter = 0): LeafType => ({
  layout,
  parameter,
  physicalType,
  isJson: false,
  convert: null,
});

const DIGITS = { MILLIS: 3, MICROS: 6, NANOS: 9 } as const;
const UNITS = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' } as const;
type Unit = keyof typeof DIGITS;

/** Digits of the longest decimal. */
const MAX_SCALE = 200;

export function leafTypeOf(element: SchemaElement): LeafType {
  if (typeof (element.type_length ?? 0) !== 'number') throw notRead('a type without a length');
  if (isDecimal(element)) return decimalType(element);
  switch (element.type) {
    case 'BOOLEAN':
      return type(Layout.BOOLEAN, 'bool');
    case 'INT32':
      return int32Type(element);
    case 'INT64':
      return int64Type(element);
    case 'INT96':
      return type(Layout.TIMESTAMP, 'timestamp[ns]', 9);
    case 'FLOAT':
      return type(Layout.FLOAT32, 'float');
    case 'DOUBLE':
      return type(Layout.FLOAT64, 'double');
    case 'BYTE_ARRAY':
      return bytesType(element);
    case 'FIXED_LEN_BYTE_ARRAY':
      return fixedType(element);
    default:
      throw notRead(`the type ${element.type}`);
  }
}

const isDecimal = ({ converted_type, logical_type }: SchemaElement): boolean =>
  converted_type === 'DECIMAL' || logical_type?.type === 'DECIMAL';

function decimalType(element: SchemaElement): LeafType {
  const logical = element.logical_type as { precision?: number; scale?: number } | undefined;
  const precision = logical?.precision ?? element.precision ?? 0;
  const scale = logical?.scale ?? element.scale ?? 0;
  if (typeof scale !== 'number' || typeof precision !== 'number' || !(Math.abs(scale) <= MAX_SCALE))
    throw notRead(`a decimal of scale ${scale}`);
  const isInteger = element.type === 'INT32' || element.type === 'INT64';
  const bytes = element.type === 'INT32' ? 4 : element.type === 'INT64' ? 8 : precision > 38 ? 32 : 16;
  const name = `decimal${precision > 38 ? 256 : 128}(${precision}, ${scale})`;
  const decimal = type(Layout.DECIMAL, name, decimalParameter(bytes, scale));
  return isInteger ? decimal : { ...decimal, convert: 'decimal' };
}

function integerOf({
  converted_type,
  logical_type,
}: SchemaElement): { bits: number; signed: boolean } | null {
  if (logical_type?.type === 'INTEGER') return { bits: logical_type.bitWidth, signed: logical_type.isSigned };
  const [, unsigned, bits] = /^(U?)INT_(8|16|32|64)$/.exec(converted_type ?? '') ?? [];
  return bits === undefined ? null : { bits: Number(bits), signed: unsigned === '' };
}

const nameOf = ({ bits, signed }: { bits: number; signed: boolean }): string =>
  `${signed ? '' : 'u'}int${bits}`;

function int32Type(element: SchemaElement): LeafType {
  const { logical_type: logical, converted_type } = element;
  if (logical?.type === 'DATE' || converted_type === 'DATE') return type(Layout.DATE32, 'date32[day]');
  if (logical?.type === 'TIME' || converted_type === 'TIME_MILLIS')
    return type(Layout.TIME32, 'time32[ms]', 3);
  const integer = integerOf(element) ?? { bits: 32, signed: true };
  return type(integer.signed ? Layout.INT32 : Layout.UINT32, nameOf(integer));
}

function int64Type(element: SchemaElement): LeafType {
  const { logical_type: logical, converted_type = '' } = element;
  const [, kind, old] = /^(TIME|TIMESTAMP)_(MILLIS|MICROS)$/.exec(converted_type) ?? [];
  if (logical?.type === 'TIMESTAMP' || kind === 'TIMESTAMP') {
    const unit = (logical?.type === 'TIMESTAMP' ? logical.unit : old) as Unit;
    const isUtc = logical?.type === 'TIMESTAMP' ? logical.isAdjustedToUTC : true;
    return type(Layout.TIMESTAMP, `timestamp[${UNITS[unit]}${isUtc ? ', tz=UTC' : ''}]`, DIGITS[unit]);
  }
  if (logical?.type === 'TIME' || kind === 'TIME') {
    const unit = (logical?.type === 'TIME' ? logical.unit : old) as Unit;
    return type(Layout.TIME64, `time64[${UNITS[unit]}]`, DIGITS[unit]);
  }
  const isSigned = integerOf(element)?.signed !== false;
  return type(isSigned ? Layout.INT64 : Layout.UINT64, isSigned ? 'int64' : 'uint64');
}

const TEXTS = new Set(['STRING', 'ENUM', 'JSON', 'UTF8']);

function bytesType({ logical_type: logical, converted_type }: SchemaElement): LeafType {
  if (!TEXTS.has(logical?.type ?? '') && !TEXTS.has(converted_type ?? ''))
    return type(Layout.BYTES32, 'binary');
  const isJson = logical?.type === 'JSON' || converted_type === 'JSON';
  return { ...type(Layout.TEXT32, isJson ? 'json' : 'string'), isJson };
}

function fixedType({ logical_type: logical, type_length = 0 }: SchemaElement): LeafType {
  if (logical?.type === 'UUID' && type_length === 16)
    return { ...type(Layout.TEXT32, 'uuid'), convert: 'uuid' };
  if (logical?.type === 'FLOAT16' && type_length === 2) return type(Layout.FLOAT16, 'halffloat');
  return type(Layout.BYTES_FIXED, `fixed_size_binary[${type_length}]`, type_length);
}
