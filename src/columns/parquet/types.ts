/** The types of Parquet: how the values of each are laid out as those of Arrow, and what pyarrow calls them. */
import { Layout } from '../../../assembly/abi.ts';
import { decimalParameter } from '../arrow/types.ts';
import { notRead } from './damaged.ts';
import type { Digits, Meaning, SchemaElement } from './metadata.ts';

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

const UNITS = { 3: 'ms', 6: 'us', 9: 'ns' };

/** Digits of the longest decimal. */
const MAX_SCALE = 200;

export function leafTypeOf(element: SchemaElement): LeafType {
  const { meaning, width } = element;
  if (meaning?.kind === 'DECIMAL') return decimalType(element, meaning);
  switch (element.type) {
    case 'BOOLEAN':
      return type(Layout.BOOLEAN, 'bool');
    case 'INT32':
      return int32Type(meaning);
    case 'INT64':
      return int64Type(meaning);
    case 'INT96':
      return timestampType(6, false);
    case 'FLOAT':
      return type(Layout.FLOAT32, 'float');
    case 'DOUBLE':
      return type(Layout.FLOAT64, 'double');
    case 'BYTE_ARRAY':
      return bytesType(meaning);
    case 'FIXED_LEN_BYTE_ARRAY':
      return fixedType(meaning, width);
    default:
      throw notRead(`the type ${element.type}`);
  }
}

function decimalType(
  { type: physical }: SchemaElement,
  { precision, scale }: Extract<Meaning, { kind: 'DECIMAL' }>,
): LeafType {
  if (!(Math.abs(scale) <= MAX_SCALE)) throw notRead(`a decimal of scale ${scale}`);
  const bytes = physical === 'INT32' ? 4 : physical === 'INT64' ? 8 : precision > 38 ? 32 : 16;
  const name = `decimal${precision > 38 ? 256 : 128}(${precision}, ${scale})`;
  const decimal = type(Layout.DECIMAL, name, decimalParameter(bytes, scale));
  return bytes < 16 ? decimal : { ...decimal, convert: 'decimal' };
}

const timestampType = (digits: Digits, isUtc: boolean): LeafType =>
  type(Layout.TIMESTAMP, `timestamp[${UNITS[digits]}${isUtc ? ', tz=UTC' : ''}]`, digits);

function int32Type(meaning: Meaning | null): LeafType {
  if (meaning?.kind === 'DATE') return type(Layout.DATE32, 'date32[day]');
  if (meaning?.kind === 'TIME') return type(Layout.TIME32, 'time32[ms]', 3);
  const { bits, isSigned } = meaning?.kind === 'INTEGER' ? meaning : { bits: 32, isSigned: true };
  return isSigned ? type(Layout.INT32, `int${bits}`) : type(Layout.UINT32, `uint${bits}`);
}

function int64Type(meaning: Meaning | null): LeafType {
  if (meaning?.kind === 'TIMESTAMP') return timestampType(meaning.digits, meaning.isUtc);
  if (meaning?.kind === 'TIME')
    return type(Layout.TIME64, `time64[${UNITS[meaning.digits]}]`, meaning.digits);
  const isSigned = meaning?.kind !== 'INTEGER' || meaning.isSigned;
  return isSigned ? type(Layout.INT64, 'int64') : type(Layout.UINT64, 'uint64');
}

function bytesType(meaning: Meaning | null): LeafType {
  if (meaning?.kind === 'JSON') return { ...type(Layout.TEXT32, 'json'), isJson: true };
  return meaning?.kind === 'STRING' ? type(Layout.TEXT32, 'string') : type(Layout.BYTES32, 'binary');
}

function fixedType(meaning: Meaning | null, width: number): LeafType {
  if (meaning?.kind === 'UUID' && width === 16) return { ...type(Layout.TEXT32, 'uuid'), convert: 'uuid' };
  if (meaning?.kind === 'FLOAT16' && width === 2) return type(Layout.FLOAT16, 'halffloat');
  return type(Layout.BYTES_FIXED, `fixed_size_binary[${width}]`, width);
}
