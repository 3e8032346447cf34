/** `8-4-4-4-12` hexadecimal digits, of any version. */
import { plainAt, plainBytes, readPlain } from './texts';

const BYTES: usize = 36;
/** Where the hexadecimal digits are in the first sixteen bytes, in the next, and in the last, which begin at 20. */
const FIRST: u32 = 0xdeff, SECOND: u32 = 0xff7b, LAST_AT: usize = 20, LAST: u32 = 0xfff7;
const DASH: u8 = 0x2d;

/** Whether a text is one. */
export function isUuid(slot: u64): bool {
  readPlain(slot);
  if (plainBytes != BYTES) return false;
  const p = plainAt;
  return digitsIn(v128.load(p)) == FIRST && digitsIn(v128.load(p, 16)) == SECOND && digitsIn(v128.load(p, LAST_AT)) == LAST
    && load<u8>(p, 8) == DASH && load<u8>(p, 13) == DASH && load<u8>(p, 18) == DASH && load<u8>(p, 23) == DASH;
}

/** A bit for each hexadecimal digit. */
// @ts-ignore: decorator
@inline function digitsIn(text: v128): u32 {
  const decimal = i8x16.lt_u(i8x16.sub(text, i8x16.splat(48)), i8x16.splat(10));
  const letters = i8x16.lt_u(i8x16.sub(v128.or(text, i8x16.splat(32)), i8x16.splat(97)), i8x16.splat(6));
  return i8x16.bitmask(v128.or(decimal, letters));
}
