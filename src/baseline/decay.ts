/** Batches lose weight with age: each newer batch multiplies by DECAY, so a weight halves every 10 batches. */

/**
 * 2^(-1/10). Written out: replicas must agree bit for bit, and `**` may differ by a rounding between platforms.
 */
export const DECAY = 0.9330329915368074;

/** DECAY^n by repeated multiplication, which is the same on every platform, up to where rounding lets it fall no further. */
const POWERS = Float64Array.from(powers());

function powers(): number[] {
  const made = [1];
  for (let power = 1, next = DECAY; next < power; next = power * DECAY) {
    made.push(next);
    power = next;
  }
  return made;
}

/** DECAY^batches. */
export const decayOver = (batches: number): number => POWERS[Math.min(batches, POWERS.length - 1)]!;
