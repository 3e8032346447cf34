/** Batches lose weight with age: each newer batch multiplies by DECAY, so a weight halves every 10 batches. */

/**
 * 2^(-1/10). Written out: replicas must agree bit for bit, and `**` may differ by a rounding between platforms.
 */
export const DECAY = 0.9330329915368074;

/** DECAY^n by repeated multiplication, which is the same on every platform, up to where rounding lets it fall no further. */
const POWERS = Float64Array.from(powers());

function* powers(): Generator<number> {
  let [power, next] = [1, DECAY];
  yield power;
  while (next < power) {
    power = next;
    yield power;
    next = power * DECAY;
  }
}

/** DECAY^batches. */
export const decayOver = (batches: number): number => POWERS[Math.min(batches, POWERS.length - 1)]!;
