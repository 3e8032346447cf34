/** Decimals of Arrow and Parquet as the doubles that their texts would be in JSON. */
import { DECODE, POWERS_F64 } from './arena';
import { number, scanNumber } from './number';

/** A copy of the magnitude while its digits are taken from it: limbs of 32 bits, the lowest first. */
const LIMBS: usize = memory.data(32, 8);
const BILLION: u64 = 1000000000;
const EXACT: i64 = 9007199254740992;

/** The integer of `width` bytes (4, 8, 16 or 32) at `at`, times 10^-scale: the nearest double. */
export function decimalAt(at: usize, width: u32, scale: i32): f64 {
  if (width <= 8 || isShort(at, width)) {
    const value: i64 = width == 4 ? <i64>load<i32>(at) : load<i64>(at);
    if (value >= -EXACT && value <= EXACT && scale >= 0 && scale <= 22) {
      const x = <f64>value / load<f64>(POWERS_F64 + (<usize>scale << 3));
      return x == 0 ? 0 : x;
    }
  }
  const limbs = takeMagnitude(at, width);
  let p = DECODE;
  if (isNegative(at, width)) store<u8>(p++, 0x2d);
  p = writeDigits(limbs, p);
  store<u8>(p++, 0x65);
  if (scale > 0) store<u8>(p++, 0x2d);
  p = writeSmall(abs(scale), p);
  store<u8>(p, 0);
  scanNumber(DECODE, false);
  return number;
}

/** Whether the words above the lowest only repeat its sign: an integer of 64 bits. */
export function isShort(at: usize, width: u32): bool {
  const sign = load<i64>(at) >> 63;
  for (let i: usize = 8; i < <usize>width; i += 8) if (load<i64>(at + i) != sign) return false;
  return true;
}

function isNegative(at: usize, width: u32): bool { return load<i8>(at + width - 1) < 0; }

/** Returns how many limbs there are. */
function takeMagnitude(at: usize, width: u32): usize {
  const flip: u32 = isNegative(at, width) ? u32.MAX_VALUE : 0;
  let carry: u64 = flip & 1;
  for (let i: usize = 0; i < <usize>width; i += 4) {
    carry += <u64>(load<u32>(at + i) ^ flip);
    store<u32>(LIMBS + i, <u32>carry);
    carry >>= 32;
  }
  return <usize>(width >> 2);
}

/** Writes the digits of LIMBS and returns their end. They are found nine at a time, the last first. */
function writeDigits(limbs: usize, at: usize): usize {
  const end = at + 90;
  let p = end;
  while (limbs != 0) {
    if (load<u32>(LIMBS + ((limbs - 1) << 2)) == 0) { limbs--; continue; }
    let rest: u64 = 0;
    for (let i = limbs; i != 0; i--) {
      const limb = LIMBS + ((i - 1) << 2);
      rest = (rest << 32) | <u64>load<u32>(limb);
      store<u32>(limb, <u32>(rest / BILLION));
      rest %= BILLION;
    }
    for (let i = 0; i < 9; i++, rest /= 10) store<u8>(--p, <u8>(48 + rest % 10));
  }
  while (p < end && load<u8>(p) == 48) p++;
  if (p == end) store<u8>(--p, 48);
  memory.copy(at, p, end - p);
  return at + (end - p);
}

function writeSmall(value: i32, at: usize): usize {
  if (value >= 100) store<u8>(at++, <u8>(48 + value / 100));
  if (value >= 10) store<u8>(at++, <u8>(48 + (value / 10) % 10));
  store<u8>(at++, <u8>(48 + value % 10));
  return at;
}
