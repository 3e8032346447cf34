/** The verdict on every row: which to hold back, and why. */
import { MAX_ROWS } from '../../../assembly/abi.ts';
import type { Profile } from '../../profile/profile.ts';
import { ROW_REASONS } from '../policy.ts';
import type { Judgement, Quarantine, RowReason } from '../report.ts';
import { type Cause, causesOf, keyOf } from './causes.ts';
import type { RowFinder } from './look.ts';
import { gravest, RANK } from './severity.ts';
import { wholeBatch } from './whole-batch.ts';

export function quarantineOf(judgement: Judgement, profile: Profile, finder: RowFinder): Quarantine {
  const causes = Map.groupBy(causesOf(judgement, profile, finder), ({ code, field }) => keyOf(code, field));
  const groups = [...causes.values()]
    .map(group => ({ group, severity: gravest(...group) }))
    .sort((a, b) => RANK[a.severity] - RANK[b.severity]);
  const held = new HeldRows(profile.rows);
  const reasons: RowReason[] = [];
  for (const { group, severity } of groups) {
    const rows = rowsOf(group, profile.rows);
    if (rows.length === 0) continue;
    held.add(rows, reasons.length);
    const { code, field } = group[0]!;
    reasons.push({ code, field, severity, count: rows.length });
  }
  const rows = held.list(finder);
  return { count: rows.length, reasons, rows, whole_batch: wholeBatch(judgement, reasons, finder) };
}

/** Rows of any of the causes, ascending. */
function rowsOf(causes: readonly Cause[], rowCount: number): Uint16Array {
  if (causes.length === 1) return causes[0]!.find(MAX_ROWS);
  const isIn = new Uint8Array(rowCount);
  for (const { find } of causes) for (const row of find(MAX_ROWS)) isIn[row] = 1;
  return indexesOf(isIn);
}

/** Where it is not 0. */
function indexesOf(flags: Uint8Array): Uint16Array {
  const indexes = new Uint16Array(flags.length);
  let count = 0;
  for (let i = 0; i < flags.length; i++) if (flags[i] !== 0) indexes[count++] = i;
  return indexes.subarray(0, count);
}

/** Each row with the places of the first reasons that it has. */
class HeldRows {
  readonly #counts: Uint8Array;
  readonly #places: Uint16Array;

  constructor(rowCount: number) {
    this.#counts = new Uint8Array(rowCount);
    this.#places = new Uint16Array(rowCount * ROW_REASONS);
  }

  /** By index: an iterator over the millions that there may be takes several times as long. */
  add(rows: Uint16Array, place: number): void {
    const [counts, places] = [this.#counts, this.#places];
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i]!;
      const count = counts[row]!;
      if (count === ROW_REASONS) continue;
      places[row * ROW_REASONS + count] = place;
      counts[row] = count + 1;
    }
  }

  list(finder: RowFinder): Quarantine['rows'] {
    const held = indexesOf(this.#counts);
    return finder.numbers(held).map((number, i) => {
      const start = held[i]! * ROW_REASONS;
      return [number, Array.from(this.#places.subarray(start, start + this.#counts[held[i]!]!))];
    });
  }
}
