/** How old batches lose weight: each newer batch multiplies by DECAY, so a weight halves every 10 batches. */

/**
 * 2^(-1/10). Written out: replicas must agree bit for bit, and `**` may differ by a rounding between platforms.
 */
export const DECAY = 0.9330329915368074;

const powers = [1];

/** DECAY^batches, by repeated multiplication: the same on every platform. */
export function decayOver(batches: number): number {
  while (powers.length <= batches) powers.push(powers[powers.length - 1]! * DECAY);
  return powers[batches]!;
}
