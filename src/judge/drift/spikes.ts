/** null_spike and empty_string_spike: a rate that rose by more than sampling explains. */
import type { BaselineField } from '../../baseline/baseline.ts';
import { quoted } from '../../errors.ts';
import type { FieldProfile } from '../../profile/profile.ts';
import { ROUNDING, SPIKE_BLOCK_RISE, SPIKE_RISE, SPIKE_Z } from '../policy.ts';
import type { DriftEvent, DriftKind } from '../report.ts';
import { percent } from '../../wording.ts';

/** A rate in 0..1 and how many rows or values are behind it (weighted ones need not be whole). */
export interface Observed {
  rate: number;
  size: number;
}

/** `nulls` of `rows` rows have no value: null or absent. */
export function nullSpike(name: string, nulls: number, rows: number, before: BaselineField): DriftEvent[] {
  const now = { rate: nulls / rows, size: rows };
  const then = { rate: before.nullRate, size: before.weightedRows };
  return spike('null_spike', name, 'Null rate in', now, then);
}

export function emptyStringSpike(field: FieldProfile, before: BaselineField): DriftEvent[] {
  const strings = field.counts.string;
  if (strings === 0 || !(before.weightedTexts > 0)) return [];
  const now = { rate: field.empties / strings, size: strings };
  const then = { rate: before.emptyRate, size: before.weightedTexts };
  return spike('empty_string_spike', field.name, 'Empty strings in', now, then);
}

function spike(kind: DriftKind, field: string, what: string, now: Observed, then: Observed): DriftEvent[] {
  const rise = now.rate - then.rate + ROUNDING;
  if (!(rise >= SPIKE_RISE && riseInErrors(now, then) >= SPIKE_Z)) return [];
  const severity = rise >= SPIKE_BLOCK_RISE ? 'block' : 'warn';
  const [previous, current] = [percent(then.rate), percent(now.rate)];
  const detail = `${what} ${quoted(field)} rose from ${previous} to ${current}`;
  return [{ field, kind, severity, detail, previous, current }];
}

/**
 * The rise in standard errors: the unpooled z of two proportions, each with one success and one failure added
 * (Agresti and Caffo 2000), so that neither a rate of 0 nor a batch of one row has an error of 0.
 */
export function riseInErrors(now: Observed, then: Observed): number {
  const [a, b] = [adjusted(now), adjusted(then)];
  return (a.rate - b.rate) / Math.sqrt(variance(a) + variance(b));
}

const adjusted = ({ rate, size }: Observed): Observed => ({
  rate: (rate * size + 1) / (size + 2),
  size: size + 2,
});

const variance = ({ rate, size }: Observed): number => (rate * (1 - rate)) / size;
