/** Turns a race over payloads into comparable figures. */
import type { Payload } from './payloads.ts';
import { type Contestants, type Effort, race, rounded, type Timing } from './race.ts';

/** A median, with rows and MB (10^6 bytes) a second. */
export interface Figure extends Timing {
  mb_per_s: number;
  rows_per_s: number;
}

export async function figuresOf<C extends Contestants<Payload>>(
  contestants: C,
  payloads: readonly Payload[],
  effort: Effort,
): Promise<Record<keyof C, Figure>> {
  const megabytes = mean(payloads.map(({ bytes }) => bytes.length / 1e6));
  const rows = mean(payloads.map(payload => payload.rows));
  const timings = await race(contestants, payloads, effort);
  return Object.fromEntries(
    Object.entries<Timing>(timings).map(([name, timing]) => [name, figureOf(timing, megabytes, rows)]),
  ) as Record<keyof C, Figure>;
}

const figureOf = (timing: Timing, megabytes: number, rows: number): Figure => ({
  ...timing,
  mb_per_s: rounded((1000 * megabytes) / timing.medianMs),
  rows_per_s: Math.round((1000 * rows) / timing.medianMs),
});

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
