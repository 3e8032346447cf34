/** The types of Arrow: how the values of each lie in buffers, and what it is called. */
import { Encoding } from 'flatbuffers';
import { Date as DateTable } from 'apache-arrow/fb/date';
import { DateUnit } from 'apache-arrow/fb/date-unit';
import { Decimal } from 'apache-arrow/fb/decimal';
import { Duration } from 'apache-arrow/fb/duration';
import type { Field as FieldTable } from 'apache-arrow/fb/field';
import { FixedSizeBinary } from 'apache-arrow/fb/fixed-size-binary';
import { FixedSizeList } from 'apache-arrow/fb/fixed-size-list';
import { FloatingPoint } from 'apache-arrow/fb/floating-point';
import { Int } from 'apache-arrow/fb/int';
import { Precision } from 'apache-arrow/fb/precision';
import { Time } from 'apache-arrow/fb/time';
import { TimeUnit } from 'apache-arrow/fb/time-unit';
import { Timestamp } from 'apache-arrow/fb/timestamp';
import { Type } from 'apache-arrow/fb/type';
import { Layout } from '../../../assembly/abi.ts';
import { quoted } from '../../terms/errors.ts';
import { ColumnsError } from '../columns-error.ts';
import { type Field, type Nesting, shortened } from '../field.ts';

export type Shape = Pick<Field, 'layout' | 'nesting' | 'parameter'>;

const flat = (layout: Layout, parameter = 0): Shape => ({ layout, nesting: null, parameter });
const nested = (nesting: Nesting, parameter = 0): Shape => ({ layout: null, nesting, parameter });

/** The rest of a type: width, unit, scale. */
function detailOf<Table extends NonNullable<Parameters<FieldTable['type']>[0]>>(
  field: FieldTable,
  table: Table,
): Table {
  const detail = field.type(table);
  if (detail === null) throw new ColumnsError('The Arrow schema is damaged: a type is incomplete');
  return detail as Table;
}

/** Types that one word describes. */
const PLAIN: Partial<Record<Type, { shape: Shape; name: string }>> = {
  [Type.Null]: { shape: flat(Layout.NULL), name: 'null' },
  [Type.Bool]: { shape: flat(Layout.BOOLEAN), name: 'bool' },
  [Type.Utf8]: { shape: flat(Layout.TEXT32), name: 'string' },
  [Type.LargeUtf8]: { shape: flat(Layout.TEXT64), name: 'large_string' },
  [Type.Utf8View]: { shape: flat(Layout.TEXT_VIEW), name: 'string_view' },
  [Type.Binary]: { shape: flat(Layout.BYTES32), name: 'binary' },
  [Type.LargeBinary]: { shape: flat(Layout.BYTES64), name: 'large_binary' },
  [Type.BinaryView]: { shape: flat(Layout.BYTES_VIEW), name: 'binary_view' },
  [Type.List]: { shape: nested('list'), name: 'list' },
  [Type.LargeList]: { shape: nested('large_list'), name: 'large_list' },
  [Type.ListView]: { shape: nested('list_view'), name: 'list_view' },
  [Type.LargeListView]: { shape: nested('large_list_view'), name: 'large_list_view' },
  [Type.Struct_]: { shape: nested('struct'), name: 'struct' },
  [Type.Map]: { shape: nested('map'), name: 'map' },
  [Type.RunEndEncoded]: { shape: nested('run_end_encoded'), name: 'run_end_encoded' },
};

/** How many children a nested type has; a struct may have any number. */
const CHILDREN: Record<Nesting, number | null> = {
  list: 1,
  large_list: 1,
  list_view: 1,
  large_list_view: 1,
  fixed_size_list: 1,
  map: 1,
  run_end_encoded: 2,
  struct: null,
};

export function shapeOf(table: FieldTable, children: Field[], name: string): Shape {
  const shape = PLAIN[table.typeType()]?.shape ?? otherShapeOf(table, name);
  const { nesting } = shape;
  const count = nesting && CHILDREN[nesting];
  const isMapDamaged =
    nesting === 'map' && (children[0]?.nesting !== 'struct' || children[0].children.length !== 2);
  if ((count !== null && count !== children.length) || isMapDamaged)
    throw new ColumnsError(
      `The Arrow schema is damaged: the ${nesting} ${quoted(name)} has the wrong children`,
    );
  return shape;
}

function otherShapeOf(table: FieldTable, name: string): Shape {
  const type = table.typeType();
  switch (type) {
    case Type.Int:
      return flat(integerLayout(detailOf(table, new Int())));
    case Type.FloatingPoint:
      return flat(FLOATS[detailOf(table, new FloatingPoint()).precision()] ?? Layout.FLOAT64);
    case Type.Decimal:
      return decimalShape(detailOf(table, new Decimal()), name);
    case Type.Date:
      return flat(detailOf(table, new DateTable()).unit() === DateUnit.DAY ? Layout.DATE32 : Layout.DATE64);
    case Type.Time: {
      const time = detailOf(table, new Time());
      return flat(time.bitWidth() === 32 ? Layout.TIME32 : Layout.TIME64, digitsOf(time.unit()));
    }
    case Type.Timestamp:
      return flat(Layout.TIMESTAMP, digitsOf(detailOf(table, new Timestamp()).unit()));
    case Type.Duration:
      return flat(Layout.INT64);
    case Type.FixedSizeBinary:
      return flat(Layout.BYTES_FIXED, widthOf(detailOf(table, new FixedSizeBinary()).byteWidth(), name));
    case Type.FixedSizeList:
      return nested('fixed_size_list', widthOf(detailOf(table, new FixedSizeList()).listSize(), name));
    default:
      throw notRead(name, Type[type]?.toLowerCase() ?? `number ${type}`);
  }
}

const FLOATS: Record<Precision, Layout> = {
  [Precision.HALF]: Layout.FLOAT16,
  [Precision.SINGLE]: Layout.FLOAT32,
  [Precision.DOUBLE]: Layout.FLOAT64,
};

export const notRead = (name: string, type: string): ColumnsError =>
  new ColumnsError(`The column ${quoted(name)} has the type ${type}, which is not read`);

const INTEGERS: Record<number, [unsigned: Layout, signed: Layout]> = {
  8: [Layout.UINT8, Layout.INT8],
  16: [Layout.UINT16, Layout.INT16],
  32: [Layout.UINT32, Layout.INT32],
  64: [Layout.UINT64, Layout.INT64],
};

/** Without a type, indexes are int32. */
export function integerLayout(int: Int | null): Layout {
  if (int === null) return Layout.INT32;
  const layouts = INTEGERS[int.bitWidth()];
  if (layouts === undefined)
    throw new ColumnsError(`The Arrow schema is damaged: an integer has ${int.bitWidth()} bits`);
  return layouts[int.isSigned() ? 1 : 0];
}

/** A decimal has at most 76 digits, so no other scale is of use; beyond it powers of ten are not in the tables. */
const MAX_SCALE = 200;

function decimalShape(decimal: Decimal, name: string): Shape {
  const [bits, scale] = [decimal.bitWidth(), decimal.scale()];
  if (![32, 64, 128, 256].includes(bits) || Math.abs(scale) > MAX_SCALE)
    throw notRead(name, `decimal${bits}(${decimal.precision()}, ${scale})`);
  return flat(Layout.DECIMAL, decimalParameter(bits / 8, scale));
}

export const decimalParameter = (bytes: number, scale: number): number => (bytes << 16) | (scale + 32768);
export const decimalScale = (parameter: number): number => (parameter & 0xffff) - 32768;
export const decimalBytes = (parameter: number): number => parameter >> 16;

function digitsOf(unit: TimeUnit): number {
  if (unit >= TimeUnit.SECOND && unit <= TimeUnit.NANOSECOND) return 3 * unit;
  throw new ColumnsError(`The Arrow schema is damaged: there is no unit of time ${unit}`);
}

function widthOf(width: number, name: string): number {
  if (width < 0)
    throw new ColumnsError(`The Arrow schema is damaged: ${quoted(name)} has the width ${width}`);
  return width;
}

// ---- names, as pyarrow writes them ----

export const physicalTypeOf = (table: FieldTable, shape: Shape, children: Field[]): string =>
  shortened(nameOf(table, shape, children));

const UNITS = ['s', 'ms', 'us', 'ns'];
const FLOAT_NAMES = ['halffloat', 'float', 'double'];
const unitOf = ({ parameter }: Shape): string => UNITS[parameter / 3] ?? '?';

function nameOf(table: FieldTable, shape: Shape, children: Field[]): string {
  const type = table.typeType();
  switch (type) {
    case Type.Int:
      return Layout[shape.layout!]!.toLowerCase();
    case Type.FloatingPoint:
      return FLOAT_NAMES[shape.layout! - Layout.FLOAT16]!;
    case Type.Decimal: {
      const decimal = detailOf(table, new Decimal());
      return `decimal${decimal.bitWidth()}(${decimal.precision()}, ${decimal.scale()})`;
    }
    case Type.Date:
      return shape.layout === Layout.DATE32 ? 'date32[day]' : 'date64[ms]';
    case Type.Time:
      return `${shape.layout === Layout.TIME32 ? 'time32' : 'time64'}[${unitOf(shape)}]`;
    case Type.Timestamp: {
      const zone = zoneOf(detailOf(table, new Timestamp()));
      return `timestamp[${unitOf(shape)}${zone ? `, tz=${zone}` : ''}]`;
    }
    case Type.Duration:
      return `duration[${UNITS[detailOf(table, new Duration()).unit()] ?? '?'}]`;
    case Type.FixedSizeBinary:
      return `fixed_size_binary[${shape.parameter}]`;
    default:
      return nestedName(type, shape, children);
  }
}

/** Bytes of a time zone that are read. The name of its type, which contains it, is cut to less. */
const MAX_ZONE_BYTES = 1024;
const decoder = new TextDecoder();

function zoneOf(timestamp: Timestamp): string {
  const bytes = timestamp.timezone(Encoding.UTF8_BYTES) as Uint8Array | null;
  return bytes === null ? '' : decoder.decode(bytes.subarray(0, MAX_ZONE_BYTES));
}

function nestedName(type: Type, { nesting, parameter }: Shape, children: Field[]): string {
  const types = children.map(child => `${child.name}: ${child.physicalType}`);
  switch (nesting) {
    case null:
      return PLAIN[type]?.name ?? 'null';
    case 'map':
      return `map<${children[0]!.children.map(child => child.physicalType).join(', ')}>`;
    case 'fixed_size_list':
      return `fixed_size_list<${types.join(', ')}>[${parameter}]`;
    default:
      return `${nesting}<${types.join(', ')}>`;
  }
}
