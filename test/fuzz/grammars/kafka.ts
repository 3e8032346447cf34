/** Record batches of Kafka (magic 2) in every codec, with headers, keys and values of any size and name. */
import type { Choices } from '../choices.ts';
import { type Input, inputOf } from '../input.ts';
import {
  big,
  Bytes,
  compressed,
  damaged,
  joined,
  little,
  lz4Of,
  type Part,
  snappyOf,
  zigzag,
} from './bytes.ts';

const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
type Codec = (typeof CODECS)[number];

const HEADER_NAMES = [
  'h',
  'sluice-reason',
  '',
  'constructor',
  'toString',
  '__proto__',
  'hasOwnProperty',
  'length',
  '0',
  'h\u00e4',
  'n'.repeat(1000),
];
const VALUES = ['{"id":1}', '', 'x', '{"a":', '\u0000', '[1]', '{"__proto__":1}'];
/** Of a batch before it is compressed: what a broker lets through, or more. */
const BATCH_BYTES = [20_000, 20_000, 300_000, 1_000_000, 33_000_000];

export function kafka(c: Choices): Input {
  const batches = joined(...c.list(3, i => batchOf(c, i)));
  return inputOf(c.once(8) ? damaged(batches, count => c.below(count)) : batches);
}

function batchOf(c: Choices, i: number): Uint8Array {
  const plain = new Bytes(c.pick(BATCH_BYTES));
  let count = 0;
  for (const { record, times } of c.list(3, () => ({
    record: recordOf(c, plain.most),
    times: c.count(10_000),
  }))) {
    const before = plain.length;
    plain.add(record, times);
    count += Math.floor((plain.length - before) / record.length);
  }
  const codec = c.pick(CODECS);
  const flags =
    CODECS.indexOf(codec) | (c.once(16) ? 0x20 : 0) | (c.once(16) ? 0x10 : 0) | (c.once(8) ? 8 : 0);
  const body = joined(
    big(flags, 2),
    big(c.once(24) ? c.edge() : count - 1, 4),
    big(c.once(12) ? c.edge() : 1_700_000_000_000, 8),
    big(c.once(12) ? c.edge() : 1_700_000_000_000, 8),
    [...big(-1, 8), ...big(-1, 2), ...big(-1, 4)],
    big(c.once(24) ? c.edge() : count, 4),
    pressed(c, plain, codec),
  );
  // Partition leader epoch, magic, and a checksum: what reads them does not check it.
  const batch = joined(big(0, 4), [2], big(0, 4), body);
  return joined(big(i * 100_000, 8), big(batch.length, 4), batch);
}

function recordOf(c: Choices, most: number): Uint8Array {
  const value = new Bytes(most);
  if (c.once(3)) value.add(c.pick(['x', ' ', '{"a":1}\n', '[']), c.count(33_000_000));
  else value.add(c.pick(VALUES));
  const headers = new Bytes(most);
  let count = 0;
  for (let left = c.below(3); left > 0; left--) {
    // Names of their own, or one name over and over.
    const [name, times] = [c.pick(HEADER_NAMES), c.once(3) ? c.largely(65_536) : 1];
    const one = (given: string) => joined(withLength(given), c.once(12) ? zigzag(-1) : withLength('v'));
    if (c.once(2)) headers.add(one(name), times);
    else
      for (let n = 0; n < times; n++)
        headers.add(times === 1 ? one(name) : joined(withLength(`${name}${n}`), [0]));
    count += times;
  }
  const body = joined(
    [0],
    zigzag(c.once(12) ? c.edge() : 0),
    zigzag(c.once(24) ? c.edge() : 0),
    c.once(4) ? zigzag(-1) : withLength(c.pick(['k', '', '\u0000'])),
    c.once(12) ? zigzag(-1) : withLength(value.whole()),
    zigzag(c.once(24) ? c.edge() : count),
    headers.whole(),
  );
  return joined(zigzag(body.length), body);
}

function withLength(part: Part): Uint8Array {
  const bytes = joined(part);
  return joined(zigzag(bytes.length), bytes);
}

const LZ4_MAGIC = [0x04, 0x22, 0x4d, 0x18];

/** Of gzip and zstd, members one after the other: each is read. */
function pressed(c: Choices, plain: Bytes, codec: Codec): Uint8Array {
  switch (codec) {
    case 'gzip':
    case 'zstd': {
      const members = c.once(2) ? c.count(100) : 1;
      return new Bytes(2_000_000).add(compressed(plain.whole(), codec), members).whole();
    }
    case 'snappy': {
      const block = snappyOf(plain);
      if (c.once(2)) return block;
      const framed = joined(big(block.length, 4), block);
      return new Bytes(2_000_000)
        .add(joined([0x82], 'SNAPPY', [0], big(1, 4), big(1, 4)))
        .add(framed, c.once(3) ? c.count(10_000) : 1)
        .whole();
    }
    case 'lz4': {
      const block = lz4Of(plain);
      const size = c.pick([0x70, 0x40, 0xf0]);
      return new Bytes(4_000_000)
        .add([...LZ4_MAGIC, c.pick([0x60, 0x70, 0x68]), size, 0])
        .add(joined(little(block.length, 4), block), c.once(3) ? c.count(1000) : 1)
        .add(little(0, 4))
        .whole();
    }
    default:
      return plain.whole();
  }
}
