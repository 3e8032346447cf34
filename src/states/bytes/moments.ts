/** Moments as bytes: integers of any length without the zeros at their ends, as their unit is the smallest double and 1,000 bits of a usual sum are zero. */
import type { ByteReader, ByteWriter } from '../../baseline/bytes.ts';
import { type Moments, MOST_UNITS } from '../moments.ts';
import { type Codec, count, nullable, record, check } from './codec.ts';

/** A sum of squares has 4,196 bits, and 53 for its count. */
const MOST_BYTES = 536;

const INTEGER: Codec<bigint> = {
  layout: 'integer',
  write(writer, value) {
    const hex = (value < 0n ? -value : value).toString(16);
    const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').reverse();
    const zeros = value === 0n ? bytes.length : bytes.findIndex(byte => byte !== 0);
    writeSigned(writer, bytes.subarray(zeros), value < 0n);
    writer.count(zeros);
  },
  read(reader) {
    const { bytes, isNegative } = readSigned(reader);
    const zeros = reader.count();
    check(zeros + bytes.length <= MOST_BYTES, `an integer of ${zeros + bytes.length} bytes`);
    const size = BigInt(`0x0${Buffer.from(bytes).reverse().toString('hex')}`) << BigInt(8 * zeros);
    return isNegative ? -size : size;
  },
};

function writeSigned(writer: ByteWriter, bytes: Uint8Array, isNegative: boolean): void {
  writer.count(2 * bytes.length + (isNegative ? 1 : 0));
  writer.raw(bytes);
}

function readSigned(reader: ByteReader): { bytes: Uint8Array; isNegative: boolean } {
  const head = reader.count();
  return { bytes: reader.raw(Math.floor(head / 2)), isNegative: head % 2 === 1 };
}

export const MOMENTS: Codec<Moments> = record<Moments>(
  { count: count(), sum: INTEGER, squares: INTEGER, deviations: nullable(INTEGER) },
  ({ count, sum, squares, deviations }) => {
    if (count === 0) return sum === 0n && squares === 0n && deviations === 0n;
    const n = BigInt(count);
    // A mean is a double, and no variance is negative.
    return (
      sum <= n * MOST_UNITS &&
      sum >= -n * MOST_UNITS &&
      n * squares >= sum * sum &&
      (deviations === null || deviations >= 0n)
    );
  },
);
