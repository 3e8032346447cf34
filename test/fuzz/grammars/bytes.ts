/** Writes bytes: numbers of several kinds, long repetitions, and the compressions that no library here writes. */
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { bytesOf, type Segment } from '../input.ts';

export type Part = Uint8Array | readonly number[] | string;

const encoder = new TextEncoder();
const asBytes = (part: Part): Uint8Array =>
  typeof part === 'string' ? encoder.encode(part) : part instanceof Uint8Array ? part : Uint8Array.from(part);

/** Bytes that are told in few words: parts that come so often. More than `most` bytes are left out. */
export class Bytes {
  readonly segments: Segment[] = [];
  length = 0;

  constructor(readonly most = Number.MAX_SAFE_INTEGER) {}

  add(part: Part, times = 1): this {
    const bytes = asBytes(part);
    const fitting =
      bytes.length === 0 ? 0 : Math.min(times, Math.floor((this.most - this.length) / bytes.length));
    if (fitting > 0) this.segments.push({ bytes, times: fitting });
    this.length += bytes.length * Math.max(0, fitting);
    return this;
  }

  append({ segments }: Bytes): this {
    for (const { bytes, times } of segments) this.add(bytes, times);
    return this;
  }

  whole(): Uint8Array<ArrayBuffer> {
    return bytesOf({ connections: 1, segments: this.segments });
  }
}

export const joined = (...parts: Part[]): Uint8Array<ArrayBuffer> => {
  const bytes = new Bytes();
  for (const part of parts) bytes.add(part);
  return bytes.whole();
};

/** Unsigned, seven bits in each byte; negative numbers as those of 64 bits. */
export function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 128n) return [...bytes, Number(rest)];
    bytes.push(Number(rest & 127n) | 128);
  }
}

export const zigzag = (value: number | bigint): number[] => {
  const wide = BigInt.asIntN(64, BigInt(value));
  return varint((wide << 1n) ^ (wide >> 63n));
};

const fixed = (value: number | bigint, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => Number((BigInt(value) >> BigInt(8 * i)) & 255n));
export const little = fixed;
export const big = (value: number | bigint, bytes: number): number[] => fixed(value, bytes).toReversed();

export const CODINGS = ['gzip', 'zstd', 'br', 'deflate', 'deflate-raw'] as const;
export type Coding = (typeof CODINGS)[number];

/** With little effort: the inputs repeat themselves. */
export function compressed(bytes: Uint8Array, coding: Coding): Uint8Array<ArrayBuffer> {
  const options = { level: bytes.length > 1_000_000 ? 1 : 6 };
  switch (coding) {
    case 'gzip':
      return new Uint8Array(gzipSync(bytes, options));
    case 'zstd':
      return new Uint8Array(zstdCompressSync(bytes));
    case 'br':
      return new Uint8Array(brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }));
    case 'deflate':
      return new Uint8Array(deflateSync(bytes, options));
    case 'deflate-raw':
      return new Uint8Array(deflateRawSync(bytes, options));
  }
}

/** Matches reach so far back. */
const MOST_BACK = 65_535;

/** One block of LZ4: what comes several times is a match, and literals that no match follows wait for the next one. */
export function lz4Of({ segments }: Bytes): Uint8Array<ArrayBuffer> {
  const out = new Bytes();
  const more = (length: number) =>
    length < 15 ? [] : [...Array<number>(Math.floor((length - 15) / 255)).fill(255), (length - 15) % 255];
  let literal = new Bytes();
  for (const { bytes, times } of segments) {
    const match = (times - 1) * bytes.length;
    if (match < 4 || bytes.length > MOST_BACK) {
      literal.add(bytes, times);
      continue;
    }
    literal.add(bytes);
    out.add([(Math.min(15, literal.length) << 4) | Math.min(15, match - 4), ...more(literal.length)]);
    out.append(literal).add([...little(bytes.length, 2), ...more(match - 4)]);
    literal = new Bytes();
  }
  return out
    .add([Math.min(15, literal.length) << 4, ...more(literal.length)])
    .append(literal)
    .whole();
}

/** One block of Snappy: what comes several times is copied, 64 bytes at once. */
export function snappyOf({ segments, length }: Bytes): Uint8Array<ArrayBuffer> {
  const out = new Bytes().add(varint(length));
  for (const { bytes, times } of segments) {
    const isCopied = bytes.length > 0 && bytes.length <= MOST_BACK;
    const literal = isCopied ? bytes : bytesOf({ connections: 1, segments: [{ bytes, times }] });
    out.add([63 << 2, ...little(literal.length - 1, 4)]).add(literal);
    const left = isCopied ? (times - 1) * bytes.length : 0;
    out.add([(63 << 2) | 2, ...little(bytes.length, 2)], left >> 6);
    if (left % 64 > 0) out.add([(((left % 64) - 1) << 2) | 2, ...little(bytes.length, 2)]);
  }
  return out.whole();
}

const EXTREMES = [0, 1, 0x7f, 0x80, 0xff];

/** A copy with a few bytes changed, repeated or cut. */
export function damaged(bytes: Uint8Array, below: (count: number) => number): Uint8Array<ArrayBuffer> {
  let copy = new Uint8Array(bytes);
  // What says what the bytes mean is at the ends.
  const place = () => {
    const near = Math.min(copy.length, 2000);
    const where = below(3);
    if (where === 0) return copy.length - 1 - below(near);
    return where === 1 ? below(near) : below(copy.length);
  };
  for (let left = 1 + below(4); left > 0 && copy.length > 8; left--) {
    const at = place();
    switch (below(5)) {
      case 0:
        copy[at]! ^= 1 << below(8);
        break;
      case 1:
        copy.fill(EXTREMES[below(EXTREMES.length)]!, at, at + 1 + below(8));
        break;
      case 2:
        copy.copyWithin(at, below(copy.length), below(copy.length) + 64);
        break;
      case 3:
        copy[at] = below(256);
        break;
      default:
        if (below(4) === 3) copy = copy.slice(0, at + 1);
    }
  }
  return copy;
}
