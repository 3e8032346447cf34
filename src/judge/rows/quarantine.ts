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
  const found = [...causes.values()]
    .map(each => reasonOf(each, profile.rows))
    .filter(({ rows }) => rows.length > 0)
    .sort((a, b) => RANK[a.reason.severity] - RANK[b.reason.severity]);
  const reasons = found.map(({ reason }) => reason);
  const rows = byRow(found, profile.rows, finder);
  return { count: rows.length, reasons, rows, whole_batch: wholeBatch(judgement, reasons, finder) };
}

interface Found {
  reason: RowReason;
  /** Ascending. */
  rows: Uint16Array;
}

/** Causes of one code and field are one reason. */
function reasonOf(causes: readonly Cause[], rowCount: number): Found {
  const { code, field } = causes[0]!;
  const each = causes.map(({ find }) => find(MAX_ROWS));
  const rows = each.length === 1 ? each[0]! : union(each, rowCount);
  return { reason: { code, field, severity: gravest(...causes), count: rows.length }, rows };
}

function union(each: readonly Uint16Array[], rowCount: number): Uint16Array {
  const isIn = new Uint8Array(rowCount);
  for (const rows of each) for (const row of rows) isIn[row] = 1;
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
function byRow(found: readonly Found[], rowCount: number, finder: RowFinder): Quarantine['rows'] {
  const counts = new Uint8Array(rowCount);
  const places = new Uint16Array(rowCount * ROW_REASONS);
  for (const [place, { rows }] of found.entries()) {
    for (const row of rows) {
      if (counts[row]! < ROW_REASONS) places[row * ROW_REASONS + counts[row]!++] = place;
    }
  }
  const held = indexesOf(counts);
  return finder.numbers(held).map((number, i) => {
    const start = held[i]! * ROW_REASONS;
    return [number, Array.from(places.subarray(start, start + counts[held[i]!]!))];
  });
}
