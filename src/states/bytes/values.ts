/** The values of a column as bytes. Hashes are random, so the differences of neighbours are written: 5 to 6 bytes of 8. */
import { HASH_END, MAX_VALUES, type Values } from '../values.ts';
import { type Codec, check, F64_BYTES } from './codec.ts';

export const VALUES: Codec<Values> = {
  layout: `values and most ${MAX_VALUES}`,
  write(writer, { hashes, counts, end, most }) {
    writer.count(most);
    writer.count(hashes.length);
    let last = -1;
    for (let i = 0; i < hashes.length; i++) {
      const hash = hashes[i]!;
      writer.count(hash - last - 1);
      writer.count(counts[i]! - 1);
      last = hash;
    }
    // Nearly always one of these two.
    writer.count(end === HASH_END ? 0 : end - last + 1);
  },
  read(reader) {
    const most = reader.count();
    check(most > 0 && most <= MAX_VALUES, `${most} values where ${MAX_VALUES} are the most`);
    const size = reader.items(most, 2 * F64_BYTES);
    const [hashes, counts] = [new Float64Array(size), new Float64Array(size)];
    let last = -1;
    for (let i = 0; i < size; i++) {
      last += 1 + reader.count();
      hashes[i] = last;
      counts[i] = 1 + reader.count();
    }
    check(last < HASH_END, 'a hash of more than 53 bits');
    const rest = reader.count();
    const end = rest === 0 ? HASH_END : last + rest - 1;
    check(end <= HASH_END, 'a hash of more than 53 bits');
    return { hashes, counts, end, most };
  },
};
