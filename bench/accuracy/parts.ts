/** What simulated sources are made of. */
import { Random } from '../random.ts';
import type { Batch, Row } from './rows.ts';

export interface Source {
  name: string;
  /** Not used during development: its figures predict those of unknown sources. */
  heldOut: boolean;
  /** Time from one batch to the next. */
  everyHours: number;
  batches(seed: number, count: number): Batch[];
}

// ---- building blocks ----

export const CONSONANTS = [...'bcdfghklmnprstvw'];
export const VOWELS = [...'aeiou'];
export const syllable = (random: Random): string =>
  random.pick(CONSONANTS) +
  random.pick(VOWELS) +
  (random.chance(0.3) ? random.pick(['n', 'r', 's', 'l']) : '');
export const word = (random: Random): string =>
  Array.from({ length: random.between(1, 3) }, () => syllable(random)).join('');
export const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);
export const name = (random: Random): string => capital(word(random) + syllable(random));
export const sentence = (random: Random, least: number, most: number): string =>
  `${capital(Array.from({ length: random.between(least, most) }, () => word(random)).join(' '))}.`;
export const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');
export const hex = (random: Random, digits: number): string =>
  Array.from({ length: digits }, () => random.pick([...'0123456789abcdef'])).join('');
export const cents = (value: number): number => Math.round(value * 100) / 100;
/** One item of the list; early items are far more frequent (Zipf). */
export const common = <T>(random: Random, list: readonly T[]): T =>
  list[Math.min(list.length - 1, Math.floor(list.length ** random.unit()) - 1)]!;
export const names = (random: Random, count: number): string[] =>
  Array.from({ length: count }, () => name(random));
export const isoDay = (day: number): string =>
  new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
export const isoSecond = (ms: number): string =>
  `${new Date(Date.UTC(2026, 0, 1) + ms).toISOString().slice(0, 19)}Z`;

/** A level that slowly returns to 0: each batch keeps 0.8 of the one before. */
export function wandering(random: Random, count: number, size: number): number[] {
  let level = 0;
  return Array.from({ length: count }, () => {
    level = 0.8 * level + 0.6 * size * random.normal();
    return level;
  });
}

export const rowsOf = (size: number, make: (i: number) => Row): Row[] =>
  Array.from({ length: Math.max(8, Math.round(size)) }, (_, i) => make(i));

export const source = (
  name: string,
  everyHours: number,
  make: (random: Random, count: number) => (batch: number) => Row[],
  heldOut = false,
): Source => ({
  name,
  heldOut,
  everyHours,
  batches(seed, count) {
    const random = new Random(seed);
    const batch = make(random, count);
    return Array.from({ length: count }, (_, i) => batch(i));
  },
});
