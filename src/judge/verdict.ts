/** PASS, WARN or BLOCK, and why. */
import { healthScore, isFinding, type Signal } from './health.ts';
import type { Thresholds } from './options.ts';
import { REASON_CAUSES } from './policy.ts';
import type { Verdict } from './report.ts';

const RANK = { info: 0, warn: 1, block: 2, PASS: 0, WARN: 1, BLOCK: 2 } as const;

/** The worse of what the findings say and what health says; `health` is the rounded figure. */
export function decide(signals: readonly Signal[], health: number, thresholds: Thresholds): Verdict {
  const [byFindings, byHealth] = [findingsVerdict(signals), healthVerdict(health, thresholds)];
  return RANK[byHealth] > RANK[byFindings] ? byHealth : byFindings;
}

function findingsVerdict(signals: readonly Signal[]): Verdict {
  if (signals.some(signal => signal.level === 'block')) return 'BLOCK';
  return signals.some(isFinding) ? 'WARN' : 'PASS';
}

function healthVerdict(health: number, { health_block, health_warn }: Thresholds): Verdict {
  if (health < health_block) return 'BLOCK';
  return health < health_warn ? 'WARN' : 'PASS';
}

/** The causes of a verdict, worst first, at most five by name. Says so when health alone decided. */
export function explain(
  status: Verdict,
  signals: readonly Signal[],
  health: number,
  thresholds: Thresholds,
): string {
  if (status === 'PASS') return 'Nothing crossed a threshold';
  const causes = signals.filter(signal => isCause(signal, thresholds)).sort(worstFirst);
  const text = listed(causes.map(signal => signal.describe()));
  if (status === findingsVerdict(signals)) return text;
  const line = status === 'BLOCK' ? thresholds.health_block : thresholds.health_warn;
  return `Health ${health} is below ${line}: ${text}`;
}

/** A finding, or what by itself takes health below its warn line. */
const isCause = (signal: Signal, thresholds: Thresholds): boolean =>
  isFinding(signal) || healthScore([signal]) < thresholds.health_warn;

const worstFirst = (a: Signal, b: Signal): number => RANK[b.level] - RANK[a.level] || b.penalty - a.penalty;

function listed(causes: readonly string[]): string {
  const named = causes.slice(0, REASON_CAUSES).join('; ');
  return causes.length > REASON_CAUSES ? `${named} and ${causes.length - REASON_CAUSES} more` : named;
}
