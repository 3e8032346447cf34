/**
 * Health: every finding has a penalty in 0..1 that is 0.2 at its warn line and 0.5 at its block line. The worst one
 * counts, and each further group of alarms takes a tenth of what is left. A WARN with one or two others does not become a BLOCK by that.
 */
import { type Finding, isAlarm, kindOf, shownSeverity } from '../findings/kinds.ts';
import { HEALTH_STEPS, KINDS_BESIDE_WARN, OTHER_KIND_FACTOR, PENALTY } from '../terms/policy.ts';

export const penaltyOf = (finding: Finding): number => kindOf(finding).penalty(finding);

/** 0..1, four decimals; 1 is perfect. */
export function healthScore(findings: readonly Finding[]): number {
  const worst = findings.reduce((most, finding) => Math.max(most, penaltyOf(finding)), 0);
  const groups = new Set(findings.filter(isAlarm).map(finding => kindOf(finding).healthGroup));
  // An alarm costs more than anything else, so the worst penalty's group is one of these if there are any.
  const otherGroups = Math.max(0, groups.size - 1);
  const health = rounded((1 - worst) * OTHER_KIND_FACTOR ** otherGroups);
  const isWarn =
    otherGroups <= KINDS_BESIDE_WARN && !findings.some(finding => shownSeverity(finding) === 'block');
  return isWarn ? Math.max(health, 1 - PENALTY.block) : health;
}

/** To four decimals, as health is. */
export const rounded = (share: number): number => Math.round(share * HEALTH_STEPS) / HEALTH_STEPS;
