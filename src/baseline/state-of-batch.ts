/** From a batch's profile to its state. */
import type { FieldProfile, Measures, NumericMeasures, Profile } from '../profile/profile.ts';
import { measure, type NewValues } from '../statistics/measure.ts';
import type { NumberSummary } from '../statistics/measurement.ts';
import type { Baseline } from './baseline.ts';
import type { BatchFacts } from './batch-facts.ts';
import { packRegisters } from './distinct.ts';
import { BRIEF } from './detail.ts';
import { detailsOf } from './limits.ts';
import { type BatchState, briefly, type FieldState } from './state.ts';

/**
 * `newValues`: as `new-values.ts` counts them. Fields for which the baseline has no room are left out, and brief fields have no more than it keeps of them.
 */
export function stateOf(
  profile: Profile,
  facts: BatchFacts,
  baseline: Baseline | null,
  newValues: ReadonlyMap<string, NewValues>,
): BatchState {
  const details = detailsOf(
    baseline,
    profile.fields.map(field => field.name),
  );
  const fields = new Map<string, FieldState>();
  for (const field of profile.fields) {
    const detail = details.get(field.name);
    if (detail === undefined) continue;
    const whole = fieldStateOf(field, profile.rows, newValues.get(field.name) ?? null, facts.at);
    fields.set(field.name, detail === BRIEF ? briefly(whole) : whole);
  }
  return {
    id: facts.id,
    at: facts.at,
    chunk: facts.chunk,
    provisional: facts.provisional,
    verdict: facts.verdict,
    health: facts.health,
    rows: profile.rows,
    duplicateRows: profile.duplicateRows,
    fields,
  };
}

function fieldStateOf(
  { measured }: FieldProfile,
  rows: number,
  newValues: NewValues | null,
  at: number,
): FieldState {
  const summary = summaryOf(measured.numeric);
  return {
    numbers: measure(measured.record, rows, summary, newValues, at),
    sketch: packRegisters(measured.registers),
    listed: hashesOf(measured.listed),
    summary,
  };
}

function hashesOf(listed: Measures['listed']): BigUint64Array | null {
  if (listed === null) return null;
  const hashes = new BigUint64Array(listed.length);
  for (let i = 0; i < listed.length; i++) hashes[i] = listed[i]!.hash;
  return hashes.sort();
}

function summaryOf(numeric: NumericMeasures | null): NumberSummary | null {
  // Between two numbers near the end of a double's range an interpolated point can overflow: not kept.
  if (!numeric?.quantiles.every(Number.isFinite)) return null;
  const { mean, m2, quantiles } = numeric;
  return { mean, m2, points: quantiles.slice() };
}
