/** One value within a nested one, as JSON. `assembly/columns.ts` does the same for the cells of a column. */
import { Layout } from '../../assembly/abi.ts';
import { decimalBytes, decimalScale } from './arrow/types.ts';
import { ColumnsError } from './columns-error.ts';
import type { Vector } from './field.ts';
import { quoted } from '../terms/errors.ts';

export function scalarText(vector: Vector, i: number, view: DataView): string {
  const { field, values } = vector;
  const at = (width: number) => values.at + i * width;
  switch (field.layout) {
    case Layout.NULL:
      return 'null';
    case Layout.BOOLEAN:
      return String(((view.getUint8(values.at + (i >> 3)) >> (i & 7)) & 1) === 1);
    case Layout.INT8:
      return String(view.getInt8(at(1)));
    case Layout.UINT8:
      return String(view.getUint8(at(1)));
    case Layout.INT16:
      return String(view.getInt16(at(2), true));
    case Layout.UINT16:
      return String(view.getUint16(at(2), true));
    case Layout.INT32:
      return String(view.getInt32(at(4), true));
    case Layout.UINT32:
      return String(view.getUint32(at(4), true));
    case Layout.INT64:
      return String(view.getBigInt64(at(8), true));
    case Layout.UINT64:
      return String(view.getBigUint64(at(8), true));
    case Layout.FLOAT16:
      return numberText(view.getFloat16(at(2), true));
    case Layout.FLOAT32:
      return numberText(view.getFloat32(at(4), true));
    case Layout.FLOAT64:
      return numberText(view.getFloat64(at(8), true));
    case Layout.DECIMAL:
      return decimalText(
        integerOf(view, at(decimalBytes(field.parameter)), decimalBytes(field.parameter)),
        decimalScale(field.parameter),
      );
    default:
      return JSON.stringify(timeOrText(vector, i, view));
  }
}

/** JSON has no NaN, and no number beyond a double but as digits. */
export function numberText(x: number): string {
  if (Number.isFinite(x)) return JSON.stringify(x);
  return Number.isNaN(x) ? 'null' : x > 0 ? '1e999' : '-1e999';
}

/** A little-endian integer of any width. */
function integerOf(view: DataView, at: number, bytes: number): bigint {
  if (bytes === 4) return BigInt(view.getInt32(at, true));
  let value = view.getBigInt64(at + bytes - 8, true);
  for (let k = bytes - 16; k >= 0; k -= 8) value = (value << 64n) | view.getBigUint64(at + k, true);
  return value;
}

/** Every digit, so that the reader decides what a number can hold. */
export function decimalText(value: bigint, scale: number): string {
  if (scale <= 0) return value === 0n ? '0' : `${value}${'0'.repeat(-scale)}`;
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function timeOrText(vector: Vector, i: number, view: DataView): string {
  const { field, values } = vector;
  const at32 = () => BigInt(view.getInt32(values.at + i * 4, true));
  const at64 = () => view.getBigInt64(values.at + i * 8, true);
  switch (field.layout) {
    case Layout.DATE32:
      return dateText(at32());
    case Layout.DATE64:
      return dateText(floored(at64(), 86_400_000n)[0]);
    case Layout.TIME32:
      return clockText(at32(), field.parameter);
    case Layout.TIME64:
      return clockText(at64(), field.parameter);
    case Layout.TIMESTAMP:
      return timestampText(at64(), field.parameter);
    case Layout.TEXT32:
    case Layout.TEXT64:
    case Layout.TEXT_VIEW:
      return strict.decode(bytesAt(vector, i, view));
    default:
      return Buffer.from(bytesAt(vector, i, view)).toString('base64');
  }
}

const strict = new TextDecoder('utf-8', { ignoreBOM: true });

/** The bytes of a text or binary. */
export function bytesAt(vector: Vector, i: number, view: DataView): Uint8Array<ArrayBuffer> {
  const { field, offsets, values } = vector;
  let [begin, end] = [i * field.parameter, (i + 1) * field.parameter];
  if (field.layout === Layout.TEXT_VIEW || field.layout === Layout.BYTES_VIEW)
    return viewedBytes(vector, i, view);
  if (field.layout === Layout.TEXT64 || field.layout === Layout.BYTES64) {
    begin = Number(view.getBigUint64(offsets.at + i * 8, true));
    end = Number(view.getBigUint64(offsets.at + i * 8 + 8, true));
  } else if (field.layout !== Layout.BYTES_FIXED) {
    begin = view.getUint32(offsets.at + i * 4, true);
    end = view.getUint32(offsets.at + i * 4 + 4, true);
  }
  if (begin > end || end > values.length) throw outside(vector);
  return new Uint8Array(view.buffer as ArrayBuffer, values.at + begin, end - begin);
}

/** Texts of up to this many bytes lie in their view. */
const INLINE_BYTES = 12;

function viewedBytes(vector: Vector, i: number, view: DataView): Uint8Array<ArrayBuffer> {
  const at = vector.values.at + i * 16;
  const length = view.getUint32(at, true);
  if (length <= INLINE_BYTES) return new Uint8Array(view.buffer as ArrayBuffer, at + 4, length);
  const buffer = vector.buffers[view.getUint32(at + 8, true)];
  const offset = view.getUint32(at + 12, true);
  if (buffer === undefined || offset + length > buffer.length) throw outside(vector);
  return new Uint8Array(view.buffer as ArrayBuffer, buffer.at + offset, length);
}

const outside = ({ field }: Vector): ColumnsError =>
  new ColumnsError(`The column ${quoted(field.name)} is damaged: a value lies outside of its buffers`);

// ---- times ----

/** Quotient and remainder, the remainder not negative. */
function floored(value: bigint, by: bigint): [bigint, bigint] {
  const rest = ((value % by) + by) % by;
  return [(value - rest) / by, rest];
}

/** `Date` has days up to this far from 1970. */
const MOST_DAYS = 100_000_000n;

function dateText(days: bigint): string {
  // The calendar repeats after 400 years of 146,097 days.
  const shift = days > MOST_DAYS || days < -MOST_DAYS ? days / 146_097n : 0n;
  const date = new Date(Number(days - shift * 146_097n) * 86_400_000);
  const year = BigInt(date.getUTCFullYear()) + shift * 400n;
  const digits = (year < 0n ? -year : year).toString();
  const isUsual = year >= 0n && year <= 9999n;
  const sign = isUsual ? '' : year < 0n ? '-' : '+';
  const width = isUsual ? 4 : digits.length <= 6 ? 6 : 12;
  return `${sign}${digits.padStart(width, '0')}${date.toISOString().slice(-20, -14)}`;
}

function clockText(units: bigint, digits: number): string {
  if (units < 0n) return `-${clockText(-units, digits)}`;
  const scale = 10n ** BigInt(digits);
  const [seconds, fraction] = floored(units, scale);
  const two = (value: bigint) => value.toString().padStart(2, '0');
  const clock = `${(seconds / 3600n).toString().padStart(seconds < 360_000n ? 2 : 16, '0')}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}`;
  if (fraction === 0n) return clock;
  const text = fraction.toString().padStart(digits, '0');
  return `${clock}.${digits === 9 && text.endsWith('000') ? text.slice(0, 6) : text}`;
}

export function timestampText(units: bigint, digits: number): string {
  const [days, rest] = floored(units, 86_400n * 10n ** BigInt(digits));
  return `${dateText(days)}T${clockText(rest, digits)}Z`;
}
