/** Splits bodies into chunks, and damages them. */
import fc from 'fast-check';
import type { Way } from '../engine/screen-bytes.ts';

/** The whole body in chunks of 1, 2, 3 and 7 bytes and of random sizes, with and without pauses. */
export const arrivals: fc.Arbitrary<Way> = fc.record({
  pieces: fc.oneof(
    fc.constantFrom([1], [2], [3], [7], [16], [64], [1024]),
    fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 }),
    fc.array(fc.constantFrom(1, 1, 2, 15, 16, 17, 100_000), { minLength: 1, maxLength: 6 }),
  ),
  pauses: fc.boolean(),
});

const damage = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), bit: fc.nat(7) }),
  fc.record({
    kind: fc.constant('set' as const),
    at: fc.nat(),
    bit: fc.constantFrom(...'{}[]",:\\0-.e \n\r\0u;t'.split('').map(c => c.charCodeAt(0)), 0xff, 0xc3, 0xed),
  }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), bit: fc.nat(0) }),
  fc.record({ kind: fc.constant('drop' as const), at: fc.nat(), bit: fc.nat(0) }),
  fc.record({ kind: fc.constant('double' as const), at: fc.nat(), bit: fc.nat(40) }),
);

type Damage = typeof damage extends fc.Arbitrary<infer Value> ? Value : never;

export const damages = fc.array(damage, { minLength: 1, maxLength: 3 });

/** Flips, sets, removes or repeats one to three bytes of a body, or cuts off its end. */
export const damaged = (body: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc.tuple(body, damages).map(([bytes, marks]) => withDamages(bytes, marks));

export function withDamages(bytes: Uint8Array, marks: readonly Damage[]): Uint8Array {
  let now = new Uint8Array(bytes);
  for (const { kind, at, bit } of marks) {
    if (now.length === 0) break;
    const i = at % now.length;
    if (kind === 'flip') now[i]! ^= 1 << bit;
    else if (kind === 'set') now[i] = bit;
    else if (kind === 'cut') now = now.slice(0, i);
    else if (kind === 'drop') now = join(now.subarray(0, i), now.subarray(i + 1));
    else now = join(now.subarray(0, i + bit), now.subarray(i));
  }
  return now;
}

function join(left: Uint8Array, right: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}
