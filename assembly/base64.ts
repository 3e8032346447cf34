/** Bytes as base64 with padding (RFC 4648, section 4). */
const ALPHABET: usize = memory.data<u8>([
  65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90,
  97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122,
  48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 43, 47,
], 16);
const PADDING: u8 = 0x3d;

export function base64Length(bytes: u32): u32 { return <u32>(((<u64>bytes + 2) / 3) << 2); }

// @ts-ignore: decorator
@inline function digit(bits: u32): u8 { return load<u8>(ALPHABET + <usize>(bits & 63)); }

/** Writes `base64Length(count)` bytes at `to`. */
export function writeBase64(from: usize, count: u32, to: usize): void {
  const end = from + count;
  for (; from + 3 <= end; from += 3, to += 4) {
    const bits = (<u32>load<u8>(from) << 16) | (<u32>load<u8>(from, 1) << 8) | <u32>load<u8>(from, 2);
    store<u8>(to, digit(bits >> 18));
    store<u8>(to, digit(bits >> 12), 1);
    store<u8>(to, digit(bits >> 6), 2);
    store<u8>(to, digit(bits), 3);
  }
  if (from == end) return;
  const two = from + 2 == end;
  const bits = (<u32>load<u8>(from) << 16) | (two ? <u32>load<u8>(from, 1) << 8 : 0);
  store<u8>(to, digit(bits >> 18));
  store<u8>(to, digit(bits >> 12), 1);
  store<u8>(to, two ? digit(bits >> 6) : PADDING, 2);
  store<u8>(to, PADDING, 3);
}
