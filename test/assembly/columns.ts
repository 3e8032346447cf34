/** Columns of numbers that are hard to measure: each kind has broken some selection or some sum. */
import fc from 'fast-check';

/** Uniform in 0 .. 1, the same sequence for the same start (Lehmer; Park and Miller 1988). */
function uniform(start: number): () => number {
  let state = start;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

const column = (n: number, value: (i: number) => number): Float64Array =>
  Float64Array.from({ length: n }, (_, i) => value(i));

/** Named columns of `n` numbers. `start` (1 .. 2^31 - 2) seeds the random ones. */
export function hardColumns(n: number, start: number): Record<string, Float64Array> {
  const random = uniform(start);
  const normal = () => Math.sqrt(-2 * Math.log(random() || 0.5)) * Math.cos(2 * Math.PI * random());
  const middle = n >> 1;
  return {
    'all equal': column(n, () => 0.1),
    'all zero, of either sign': column(n, i => (i % 2 ? 0 : -0)),
    'two values': column(n, i => (i % 3 ? 2.5 : -7)),
    'nine of ten are zero': column(n, () => (random() < 0.9 ? 0 : random() * 100)),
    'nine of ten are zero, the others tiny': column(n, () => (random() < 0.9 ? 0 : random() * 1e-300)),
    denormals: column(n, () => Math.floor(random() * 1000) * 5e-324),
    'the two largest doubles': column(n, i => (i % 2 ? Number.MAX_VALUE : -Number.MAX_VALUE)),
    'around 1e308': column(n, () => 1e308 + random() * 7e307),
    'all over the doubles': column(n, () => (random() < 0.5 ? -1 : 1) * 10 ** (random() * 616 - 308)),
    'powers of ten': column(n, i => 10 ** ((i % 600) - 300)),
    'powers of ten, of either sign': column(n, i => (i % 2 ? 1 : -1) * 10 ** ((i % 617) - 308)),
    'one outlier': column(n, i => (i === middle ? 1e300 : normal())),
    sorted: column(n, i => i * 1.5),
    reversed: column(n, i => (n - i) * 1.5),
    'organ pipe': column(n, i => Math.min(i, n - i) + 0.25),
    uniform: column(n, random),
    gaussian: column(n, () => 1000 + 3 * normal()),
    lognormal: column(n, () => Math.exp(2 * normal())),
    cauchy: column(n, () => normal() / (normal() || 1)),
    'two hills far apart': column(n, () => (random() < 0.5 ? 0 : 1e6) + normal()),
    'neighbouring doubles': column(n, () => 1 + Math.floor(random() * 50) * Number.EPSILON),
    'small integers': column(n, () => Math.floor(random() * 5)),
    'integers below zero': column(n, () => Math.floor(random() * 3000) - 4000),
    'integers with one half': column(n, i => (i === n - 1 ? 0.5 : i % 100)),
    'integers with a fraction lost beside the minimum': column(n, i =>
      i === middle ? 1 - 2 ** -53 : (i % 4000) - 4000,
    ),
    'integers beyond 2^53': column(n, () => 2 ** 60 + Math.floor(random() * 8) * 256),
    'what a stride of a 32nd sees is equal': column(n, i =>
      i % Math.max(1, Math.floor(n / 32)) ? random() : 0.5,
    ),
    timestamps: column(n, () => 1.7e12 + Math.floor(random() * 8.64e7)),
  };
}

/** Finite doubles of all kinds: any bits, small integers, ties, values close to each other. */
export const anyColumn = (maxLength: number): fc.Arbitrary<Float64Array> =>
  fc
    .oneof(
      fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength }),
      fc.array(fc.integer({ min: -50, max: 3000 }), { minLength: 1, maxLength }),
      fc.array(fc.constantFrom(0, -0, 1, 1.5, -1e300, 5e-324), { minLength: 1, maxLength }),
      fc.array(fc.double({ min: 100, max: 101, noNaN: true }), { minLength: 1, maxLength }),
    )
    .map(values => Float64Array.from(values));

/** 1 .. 70 and lengths around larger sizes that matter. */
export const LENGTHS = [...Array.from({ length: 70 }, (_, i) => i + 1), 127, 128, 1000, 1001, 4095, 10000];
