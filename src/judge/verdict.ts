/** PASS, WARN or BLOCK, and why. */
import { type Finding, isAlarm, KINDS, kindOf } from '../findings/kinds.ts';
import { ENDS_EARLY } from '../findings/ragged-rows.ts';
import { rankOf } from '../findings/severity.ts';
import type { UnusualStatistic } from '../findings/unusual-statistic.ts';
import { statisticById } from '../statistics/registry.ts';
import type { Family } from '../statistics/statistic.ts';
import { quoted } from '../terms/errors.ts';
import { REASON_CAUSES, type Thresholds } from '../terms/policy.ts';
import { type Verdict, worseOf } from '../terms/verdict.ts';
import { healthScore, penaltyOf } from './health.ts';

/** The worse of what the findings say and what health says; `health` is the rounded figure. */
export function decide(findings: readonly Finding[], health: number, thresholds: Thresholds): Verdict {
  return worseOf(findingsVerdict(findings), healthVerdict(health, thresholds));
}

function findingsVerdict(findings: readonly Finding[]): Verdict {
  const alarms = findings.filter(isAlarm);
  if (alarms.some(({ severity }) => severity === 'block')) return 'BLOCK';
  return alarms.length > 0 ? 'WARN' : 'PASS';
}

function healthVerdict(health: number, { health_block, health_warn }: Thresholds): Verdict {
  if (health < health_block) return 'BLOCK';
  return health < health_warn ? 'WARN' : 'PASS';
}

/** The causes of a verdict, worst first, at most five in words. Says so when health alone decided. */
export function explain(
  status: Verdict,
  findings: readonly Finding[],
  health: number,
  thresholds: Thresholds,
): string {
  const passed = 'Nothing crossed a threshold';
  if (status === 'PASS')
    return passed + (findings.some(endsEarly) ? `, but ${ENDS_EARLY}` : whatLowers(findings, health));
  const found = findings.filter(finding => isCause(finding, thresholds));
  const causes = onceAField(found.toSorted(worstFirst), findings);
  const text = listed(causes);
  if (status === findingsVerdict(findings)) return text;
  const line = status === 'BLOCK' ? thresholds.health_block : thresholds.health_warn;
  return `Health ${health} is below ${line}: ${text}`;
}

/** Why the health of a PASS is below 1, in the words of what lowers it most; empty where nothing does. */
function whatLowers(findings: readonly Finding[], health: number): string {
  const [worst] = findings.filter(finding => penaltyOf(finding) > 0).toSorted(worstFirst);
  if (health === 1 || worst === undefined) return '';
  return `; health ${health}: ${worst.kind === 'unusual_statistic' ? farthestWords(worst) : kindOf(worst).words(worst)}`;
}

/** Of a statistic that is within what the past explains. */
function farthestWords({ field, evidence }: UnusualStatistic): string {
  const { label } = statisticById(evidence.statistic)!;
  return `no statistic is unusual, and the farthest is the ${label}${field === null ? '' : ` of ${quoted(field)}`}`;
}

const endsEarly = (finding: Finding): boolean => finding.kind === 'ragged_rows' && finding.evidence.endsEarly;

/**
 * Of the statistics of one field a single one: the others follow from the same damage. What people know best: that all values are the same, the
 * level of its numbers, a new value; else the most unusual.
 */
function onceAField(causes: readonly Finding[], findings: readonly Finding[]): Finding[] {
  const newValues = new Map(
    findings.filter(({ kind }) => kind === 'new_enum_value').map(finding => [finding.field, finding]),
  );
  const statistics = new Map<string | null, UnusualStatistic[]>();
  for (const cause of causes) {
    if (!isStatistic(cause)) continue;
    const known = statistics.get(cause.field);
    if (known) known.push(cause);
    else statistics.set(cause.field, [cause]);
  }
  const shown = new Map<Finding, Finding>(
    Array.from(statistics.values(), of => [of[0]!, bestKnown(of, newValues.get(of[0]!.field))] as const),
  );
  const once = causes.map(cause => (isStatistic(cause) ? shown.get(cause) : cause));
  return once.filter(cause => cause !== undefined);
}

const isStatistic = (finding: Finding): finding is UnusualStatistic => finding.kind === 'unusual_statistic';

const bestKnown = (of: readonly UnusualStatistic[], newValues: Finding | undefined): Finding =>
  of.find(({ evidence }) => evidence.isConstant) ??
  ofStatistic(of, 'median') ??
  ofStatistic(of, 'mean') ??
  of.find(({ evidence }) => evidence.newValues) ??
  (newValues && !IS_PLAIN.has(statisticById(of[0]!.evidence.statistic)!.family) ? newValues : of[0]!);

/** Families of statistics that say what is wrong better than a new value does. */
const IS_PLAIN: ReadonlySet<Family> = new Set(['nulls', 'empties', 'types']);

const ofStatistic = (of: readonly UnusualStatistic[], id: string): UnusualStatistic | undefined =>
  of.find(({ evidence }) => evidence.statistic === id);

/** An alarm, or a finding that alone takes health below its warn line. Findings that only follow from another one are not causes. */
const isCause = (finding: Finding, thresholds: Thresholds): boolean =>
  !(finding.kind === 'unusual_statistic' && finding.evidence.isConsequence) &&
  (isAlarm(finding) || healthScore([finding]) < thresholds.health_warn);

const worstFirst = (a: Finding, b: Finding): number =>
  rankOf(b.severity) - rankOf(a.severity) || penaltyOf(b) - penaltyOf(a) || placeOf(a) - placeOf(b);

const NAMES = Object.keys(KINDS);

/** What the batch is like by itself comes before how it differs from others, which are in the order in which they were found. */
const placeOf = (finding: Finding): number =>
  kindOf(finding).comparesWithBaseline ? NAMES.length : NAMES.indexOf(finding.kind);

function listed(causes: readonly Finding[]): string {
  const named = causes
    .slice(0, REASON_CAUSES)
    .map(finding => kindOf(finding).words(finding))
    .join('; ');
  return causes.length > REASON_CAUSES ? `${named} and ${causes.length - REASON_CAUSES} more` : named;
}
