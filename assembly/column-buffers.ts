/** The buffers of the column of Arrow or Parquet at hand, as `setBuffers` describes them, and where its values lie in them. */
import { Layout } from './abi';

export let layout: Layout = Layout.NULL, validity: usize = 0, offsets: usize = 0, values: usize = 0, bytes: u64 = 0, parameter: u32 = 0;
/** Addresses and lengths of the buffers behind views, a u32 each. */
let buffers: usize = 0, bufferCount: u32 = 0;

/** Describes the buffers of the next `appendCells`. `valueBytes`: bytes of the buffer at `valuesAt`. A validity of 0: no value is null. */
export function setBuffers(
  kind: Layout, validityAt: usize, offsetsAt: usize, valuesAt: usize, valueBytes: u32, parameterOfKind: u32, viewsAt: usize, viewCount: u32,
): void {
  layout = kind;
  validity = validityAt;
  offsets = offsetsAt;
  values = valuesAt;
  bytes = valueBytes;
  parameter = parameterOfKind;
  buffers = viewsAt;
  bufferCount = viewCount;
}

// @ts-ignore: decorator
@inline export function isValid(bits: usize, i: u32): bool { return bits == 0 || ((load<u8>(bits + <usize>(i >> 3)) >> (i & 7)) & 1) != 0; }

/** Results of `locate`. */
export let textAt: usize = 0, textLength: u32 = 0;

/** Finds the bytes of a value; false where they leave their buffer. */
export function locate(i: u32): bool {
  const n = <usize>i;
  let begin: u64, end: u64;
  switch (layout) {
    case Layout.TEXT_VIEW:
    case Layout.BYTES_VIEW: return locateView(values + (n << 4));
    case Layout.TEXT64:
    case Layout.BYTES64:
      begin = load<u64>(offsets + (n << 3));
      end = load<u64>(offsets + (n << 3), 8);
      break;
    case Layout.BYTES_FIXED:
      begin = <u64>i * parameter;
      end = begin + parameter;
      break;
    default:
      begin = load<u32>(offsets + (n << 2));
      end = load<u32>(offsets + (n << 2), 4);
  }
  if (begin > end || end > bytes) return false;
  textAt = values + <usize>begin;
  textLength = <u32>(end - begin);
  return true;
}

function locateView(view: usize): bool {
  textLength = load<u32>(view);
  textAt = view + 4;
  if (textLength <= 12) return true;
  const buffer = load<u32>(view, 8), offset = load<u32>(view, 12);
  if (buffer >= bufferCount) return false;
  const entry = buffers + (<usize>buffer << 3);
  if (<u64>offset + textLength > <u64>load<u32>(entry, 4)) return false;
  textAt = <usize>load<u32>(entry) + offset;
  return true;
}
