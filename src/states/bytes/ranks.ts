/** The ranks of a column as bytes. The key of a bucket follows from its least number. */
import type { ByteWriter } from '../../baseline/bytes.ts';
import { type Atoms, HIGHEST_LEVEL, keyAt, LEAST_LEVEL, MAX_BUCKETS, type Ranks } from '../ranks.ts';
import { type BoundedReader, type Codec, nullable, check, F64_BYTES } from './codec.ts';

const ATOMS: Codec<Atoms> = {
  layout: 'atoms',
  write(writer, { numbers, counts }) {
    writer.count(numbers.length);
    writer.f64s(numbers);
    for (let i = 0; i < counts.length; i++) writer.count(counts[i]! - 1);
  },
  read(reader) {
    const size = reader.items(MAX_BUCKETS, 2 * F64_BYTES);
    const numbers = readNumbers(reader, size);
    const counts = new Float64Array(size);
    for (let i = 0; i < size; i++) {
      counts[i] = 1 + reader.count();
      check(i === 0 || numbers[i - 1]! < numbers[i]!, 'numbers out of order');
    }
    return { numbers, counts };
  },
};

const SOME_ATOMS = nullable(ATOMS);

export const RANKS: Codec<Ranks> = {
  layout: `ranks and most ${MAX_BUCKETS} ${SOME_ATOMS.layout}`,
  write(writer, ranks) {
    writer.count(ranks.most);
    SOME_ATOMS.write(writer, ranks.atoms);
    writer.u8(ranks.level);
    writeBuckets(writer, ranks);
  },
  read(reader) {
    const most = reader.count();
    check(most > 0 && most <= MAX_BUCKETS, `${most} buckets where ${MAX_BUCKETS} are the most`);
    const atoms = SOME_ATOMS.read(reader);
    check(atoms === null || atoms.numbers.length <= most, 'too many atoms');
    const level = reader.u8();
    check(level >= LEAST_LEVEL && level <= HIGHEST_LEVEL, `the level ${level}`);
    const buckets = readBuckets(reader, level);
    check(buckets.counts.length <= most, 'too many buckets');
    return { most, atoms, level, ...buckets };
  },
};

/** Most buckets hold one number only: their greatest is their least. */
function writeBuckets(writer: ByteWriter, { counts, least, greatest }: Ranks): void {
  writer.count(counts.length);
  const isWide = (_: number, i: number): boolean => greatest[i] !== least[i];
  for (let i = 0; i < counts.length; i++) writer.count(2 * (counts[i]! - 1) + (isWide(0, i) ? 1 : 0));
  writer.f64s(least);
  writer.f64s(greatest.filter(isWide));
}

function readBuckets(reader: BoundedReader, level: number): Omit<Ranks, 'most' | 'atoms' | 'level'> {
  const size = reader.items(MAX_BUCKETS, 4 * F64_BYTES);
  const [keys, counts] = [new Float64Array(size), new Float64Array(size)];
  const wide: number[] = [];
  for (let i = 0; i < size; i++) {
    const head = reader.count();
    counts[i] = 1 + Math.floor(head / 2);
    if (head % 2 === 1) wide.push(i);
  }
  const least = readNumbers(reader, size);
  const greatest = least.slice();
  for (const [j, x] of readNumbers(reader, wide.length).entries()) greatest[wide[j]!] = x;
  for (let i = 0; i < size; i++) {
    keys[i] = keyAt(level, least[i]!);
    check(i === 0 || keys[i - 1]! < keys[i]!, 'buckets out of order');
  }
  for (const i of wide)
    check(
      counts[i]! > 1 && least[i]! < greatest[i]! && keyAt(level, greatest[i]!) === keys[i],
      'a number outside its bucket',
    );
  return { keys, counts, least, greatest };
}

function readNumbers(reader: BoundedReader, size: number): Float64Array {
  const numbers = reader.f64s(size);
  // A negative zero is written as zero.
  check(
    numbers.every(x => Number.isFinite(x) && !Object.is(x, -0)),
    'a number that is not finite',
  );
  return numbers;
}

/** How many numbers the ranks are of. */
export const sizeOf = ({ atoms, counts }: Ranks): number =>
  total(counts) + (atoms === null ? 0 : total(atoms.counts));

export const total = (counts: Float64Array): number => counts.reduce((a, b) => a + b, 0);
