/**
 * Formats of texts. The format says for each of the first 64 bytes whether it is a digit, an upper-case letter, another
 * letter or white space: all dates of one notation have one format, names have many.
 */
import { Column } from '../abi';
import { INSPECTED_FORMATS, put } from '../arena';
import { mix } from '../hash';
import { distinctHashes, mostFrequent, putDistribution } from './frequencies';
import { digitBits, inspectedBytes, letterBits, readCharacters, spaceBits, textLength, upperBits } from './text';

const CHAIN: u64 = 0x9E3779B97F4A7C15;

let texts: u32 = 0;

export function beginFormats(): void { texts = 0; }

export function addFormat(): void {
  store<u64>(INSPECTED_FORMATS + (<usize>texts << 3), hashFormat());
  texts++;
}

/** Hash of the format of the text at hand, sixteen bytes at a time. Baselines keep counts of it, so it must stay the same. */
function hashFormat(): u64 {
  let hash: u64 = textLength;
  for (let i: u64 = 0; i < inspectedBytes; i += 16) {
    const kinds = sixteen(digitBits, i) | sixteen(upperBits, i) << 16 | sixteen(letterBits, i) << 32 | sixteen(spaceBits, i) << 48;
    hash = (rotl<u64>(hash, 23) ^ kinds) * CHAIN;
  }
  return mix(hash);
}

// @ts-ignore: decorator
@inline function sixteen(bits: u64, from: u64): u64 { return bits >> from & 0xffff; }

export function putFormats(record: usize): void {
  put(record, Column.TOP_FORMAT, <f64>mostFrequent(INSPECTED_FORMATS, texts));
  put(record, Column.FORMATS, <f64>distinctHashes);
  putDistribution(record + (<usize>Column.FIRST_FORMAT_BUCKET << 3), INSPECTED_FORMATS, texts);
}

/** Hash of the format of a cell's text. */
export function formatOf(slot: u64, doubled: bool): u64 {
  readCharacters(slot, doubled);
  return hashFormat();
}
