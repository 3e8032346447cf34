/** Places as bytes. */
import type { Place } from '../place.ts';
import { type Codec, count, pair } from './codec.ts';

/** Parts are numbered in 32 bits, and so are the rows of one. */
export const MAX_PART = 2 ** 32 - 1;

export const PLACE: Codec<Place> = pair(count(MAX_PART), count());
