/** Bounds of batches that come in parts. */
import type { BatchBounds } from '../stores/ports.ts';

/** Of an account. A row takes about nine bytes, and a column of many different values up to 400 KB. */
export const BOUNDS: BatchBounds = { batches: 100, bytes: 2 * 1024 * 1024 * 1024 };
/** Of what posts to the account's windows leave behind until these are judged. */
export const WINDOW_BOUNDS: Pick<BatchBounds, 'bytes'> = { bytes: 1024 * 1024 * 1024 };
/** Numbers of parts are below it. */
export const MAX_PARTS = 10_000;
/** States of parts that are kept before they are merged into one. */
export const FOLDED_FROM = 16;
/** How long a batch that has ended can still be looked at. */
export const ENDED_KEPT_MS = 7 * 24 * 3600 * 1000;
/** Batches of a list. */
export const MAX_LISTED = 200;
