/**
 * The choices by which a grammar makes an input. Their list is what is kept, changed, spliced and made smaller, as in Hypothesis
 * (MacIver and Donaldson 2020): whatever the list is, the grammar makes an input of it.
 */

/** Numbers at the edges of types and of varints. */
const EDGES = [
  0n,
  1n,
  2n,
  7n,
  8n,
  63n,
  64n,
  127n,
  128n,
  255n,
  256n,
  1000n,
  0x7fffn,
  0xffffn,
  0x10000n,
  1_000_000n,
  0x7fff_ffffn,
  0x8000_0000n,
  0xffff_ffffn,
  2n ** 53n,
  2n ** 63n - 1n,
  -1n,
  -2n,
  -128n,
  -0x8000_0000n,
  -(2n ** 63n),
];
const COUNTS = [
  1, 0, 2, 3, 7, 8, 9, 31, 64, 100, 127, 128, 1000, 1024, 4096, 10_000, 16_383, 65_536, 100_000, 300_000,
  1_000_000, 2_000_000, 8_000_000, 16_000_000, 33_000_000,
];
/** A grammar that goes on choosing gets the simplest from here on. */
const MAX_CHOICES = 4000;

export class Choices {
  readonly made: number[] = [];
  readonly #given: readonly number[];
  readonly #random: () => number;

  /** `given` first, then at random. */
  constructor(given: readonly number[], random: () => number) {
    this.#given = given;
    this.#random = random;
  }

  /** A whole number from 0, the simplest, to below `count`. */
  below(count: number): number {
    const at = this.made.length;
    const choice = at >= MAX_CHOICES ? 0 : (this.#given[at] ?? this.#random()) % count;
    this.made.push(choice);
    return choice;
  }

  /** The first is the simplest. */
  pick<T>(options: readonly T[]): T {
    return options[this.below(options.length)]!;
  }

  /** True once in `times`. */
  once(times: number): boolean {
    return this.below(times) === times - 1;
  }

  /** How often something is there: few, or as many as `most`. */
  count(most: number): number {
    return this.pick(COUNTS.filter(count => count <= Math.max(1, most)));
  }

  /** As many as there may be, or any other number of them. */
  largely(most: number): number {
    return this.once(2) ? most : this.count(most);
  }

  edge(): bigint {
    return this.pick(EDGES);
  }

  /** Up to `most` things. */
  list<T>(most: number, make: (i: number) => T): T[] {
    return Array.from({ length: 1 + this.below(most) }, (_, i) => make(i));
  }
}

/** Xorshift (Marsaglia 2003), so that a seed repeats a run. Numbers of 32 bits. */
export function randomOf(seed: number): () => number {
  let x = Math.imul(seed + 1, 0x9e3779b1) | 1;
  const next = (): number => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x >>> 0;
  };
  for (let i = 0; i < 8; i++) next();
  return next;
}

/** A few of the choices made otherwise, left out, repeated, or taken from `other`. */
export function mutated(
  choices: readonly number[],
  other: readonly number[],
  random: () => number,
): number[] {
  let made = [...choices];
  for (let left = 1 + (random() % 4); left > 0; left--) {
    const at = random() % (made.length + 1);
    switch (random() % 6) {
      case 0:
      case 1:
        made[Math.min(at, made.length - 1)] = random();
        break;
      case 2:
        made[Math.min(at, made.length - 1)]! += random() % 2 === 0 ? 1 : made.length;
        break;
      case 3:
        made.splice(at, 1 + (random() % 8));
        break;
      case 4:
        made.splice(at, 0, ...made.slice(at, at + 1 + (random() % 16)));
        break;
      default:
        made = [...made.slice(0, at), ...other.slice(random() % (other.length + 1))];
    }
  }
  return made;
}
