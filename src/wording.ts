/** How numbers and lists stand in sentences a person reads. */
import { quoted } from './errors.ts';
import { VALUES_QUOTED } from './policy.ts';

/** A fraction in 0..1 as a percentage of at most one decimal; never 0% or 100% for what is only nearly so. */
export function percent(rate: number): string {
  if (rate > 0 && rate < 0.001) return '<0.1%';
  if (rate < 1 && rate > 0.999) return '>99.9%';
  return `${Math.round(rate * 1000) / 10}%`;
}

/** The first few values, quoted. There may be more than were given, so the rest is not counted. */
export function quotedList(values: readonly string[]): string {
  const shown = values.slice(0, VALUES_QUOTED).map(quoted).join(', ');
  return values.length > VALUES_QUOTED ? `${shown} and others` : shown;
}

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
