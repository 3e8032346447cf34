/** null_spike and empty_string_spike: a rate that rose by more than sampling explains. */
import type { BaselineField } from '../../baseline/baseline.ts';
import { isMissed } from '../../baseline/baseline.ts';
import type { SpikeEvidence } from '../../findings/rate-spike.ts';
import type { Severity } from '../../contract/report.ts';
import { ROUNDING, SPIKE_BLOCK_RISE, SPIKE_RISE, SPIKE_Z } from '../../policy.ts';
import type { FieldProfile } from '../../profile/profile.ts';
import type { FieldRule } from '../rule.ts';

/** A rate in 0..1 and how many rows or values are behind it (weighted ones need not be whole). */
export interface Observed {
  rate: number;
  size: number;
}

/** In a field that no row has, and that many rows usually lack, all rows count as null. */
export const nullSpikeRule: FieldRule = ({ name, now, before, isAbsent }, { profile: { rows } }) => {
  if (!before || (isAbsent && isMissed(before.presence, rows))) return null;
  const nulls = isAbsent ? rows : now!.nulls;
  const then = { rate: before.nullRate, size: before.weightedRows };
  const spike = spikeOf({ rate: nulls / rows, size: rows }, then);
  return spike && { kind: 'null_spike', field: name, scope: 'field', ...spike };
};

export const emptyStringSpikeRule: FieldRule = ({ name, now, before, isAbsent }) => {
  const spike = now && before && !isAbsent ? emptySpike(now, before) : null;
  return spike && { kind: 'empty_string_spike', field: name, scope: 'field', ...spike };
};

function emptySpike(now: FieldProfile, before: BaselineField) {
  const strings = now.counts.string;
  if (strings === 0 || !(before.weightedTexts > 0)) return null;
  const then = { rate: before.emptyRate, size: before.weightedTexts };
  return spikeOf({ rate: now.empties / strings, size: strings }, then);
}

function spikeOf(now: Observed, then: Observed): { severity: Severity; evidence: SpikeEvidence } | null {
  const rise = now.rate - then.rate + ROUNDING;
  if (!(rise >= SPIKE_RISE && riseInErrors(now, then) >= SPIKE_Z)) return null;
  const severity = rise >= SPIKE_BLOCK_RISE ? 'block' : 'warn';
  return { severity, evidence: { previous: then.rate, current: now.rate } };
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
