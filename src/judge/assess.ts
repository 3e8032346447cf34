/**
 * The judgement of one batch, from what its columns look like and what its source looked like before. Rules turn facts into
 * findings; health, verdict and everything that a report shows follow from the findings. Pure: no clock, no state, no I/O
 * but the queries to the engine that holds the batch.
 */
import type { Baseline } from '../baseline/baseline.ts';
import { statisticsOf } from '../baseline/collect-statistics.ts';
import type { BatchState } from '../baseline/state.ts';
import type { Quarantine, RowNumbering } from '../report-schema/report.ts';
import { type Finding, isAlarm, kindOf } from '../findings/kinds.ts';
import { type Find, RowFinder } from '../findings/row-finder.ts';
import type { UnusualStatistic } from '../findings/unusual-statistic.ts';
import type { Mode, ScreenOptions } from '../options/options.ts';
import { ANOMALIES_LISTED, type Thresholds } from '../terms/policy.ts';
import { isReadAnew } from '../profile/field-type.ts';
import { type Facts, fieldFacts, type KnownPast, type MeasuredBatch } from '../rules/facts.ts';
import { compare, type Comparison } from '../rules/learned/compare.ts';
import type { Rules } from '../rules/rule.ts';
import type { Verdict } from '../terms/verdict.ts';
import { healthScore } from './health.ts';
import { quarantineOf } from './quarantine.ts';
import { type Cause, causesOf, isOver, type KeptRun } from './blocked-run.ts';
import { type NewNormal, newNormalIn, proposed, spared } from './new-normal.ts';
import { decide } from './verdict.ts';

export interface Assessment {
  status: Verdict;
  /** 0..1, four decimals. */
  health: number;
  /** Thresholds in force; the reason quotes those of health. */
  thresholds: Thresholds;
  /** What BLOCKs it, or would if it proposed no new normal. */
  causes: Cause[];
  newNormal: NewNormal | null;
  settleAfter: number;
  /** In the order in which lists of the report show them. */
  findings: Finding[];
  /** What of the verdict was learned. */
  learned: { mode: Mode; history: number; comparison: Comparison | null; falseAlarmRate: number };
  /** What numbers of rows mean; null where no row is named. */
  rowNumbers: RowNumbering | null;
  /** Null unless row verdicts were asked for. */
  quarantine: Quarantine | null;
}

/** Judges a batch by lists of rules. The engine must still hold the batch. */
export function assess(
  batch: MeasuredBatch,
  past: KnownPast,
  rules: readonly Rules[],
  options: ScreenOptions,
): Assessment {
  const facts = factsOf(batch, past, options);
  const found = findingsOf(facts, rules);
  const newNormal = newNormalIn(found, runBefore(past));
  const judged = newNormal ? proposed(found) : spared(found);
  const health = healthScore(judged);
  const finder = new RowFinder(batch.profile, batch.rowQueries, past.baseline);
  const status = decide(judged, health, options.thresholds);
  const { findings, finds } = withRows(judged, finder, options.rowVerdicts);
  const { rows } = batch.profile;
  const quarantine = options.rowVerdicts ? quarantineOf(findings, finds, rows, finder) : null;
  const causes = causesOf(found);
  return {
    status,
    health,
    thresholds: options.thresholds,
    causes,
    newNormal,
    settleAfter: options.settleAfter,
    findings,
    learned: learnedIn(past, facts, options),
    rowNumbers: finder.numbering,
    quarantine,
  };
}

/** Null without a run, and where it has ended. */
const runBefore = ({ run, baseline }: KnownPast): KeptRun | null =>
  run && !isOver(run, baseline) ? run : null;

function factsOf(batch: MeasuredBatch, past: KnownPast, options: ScreenOptions): Facts {
  const { history, baseline } = past;
  const learns = history !== null && history.batches.length > 0;
  const statistics = learns
    ? statisticsOf(withoutReadAnew(batch, baseline), baseline?.recent.at(-1)?.places)
    : null;
  const comparison = statistics ? compare(history!, statistics, options.falseAlarmRate) : null;
  return { ...batch, ...past, options, comparison, fields: fieldFacts(batch.profile, baseline) };
}

/** Its state without the fields whose past was read in another way. */
function withoutReadAnew({ profile, state }: MeasuredBatch, baseline: Baseline | null): BatchState {
  const anew = profile.fields.filter(field => {
    const before = baseline?.fields.get(field.name);
    return before !== undefined && isReadAnew(field, before.type);
  });
  if (anew.length === 0) return state;
  const fields = new Map(state.fields);
  for (const { name } of anew) fields.delete(name);
  return { ...state, fields };
}

const learnedIn = (
  { history }: KnownPast,
  { comparison }: Facts,
  { mode, falseAlarmRate }: ScreenOptions,
): Assessment['learned'] => ({ mode, history: history?.batches.length ?? 0, comparison, falseAlarmRate });

/** Field by field, then of the batch as a whole. */
function findingsOf(facts: Facts, lists: readonly Rules[]): Finding[] {
  const findings: Finding[] = [];
  for (const field of facts.fields) {
    for (const { list, fields } of lists)
      for (const rule of fields) {
        const found = rule(field, facts);
        if (found) findings.push({ ...found, list } as Finding);
      }
  }
  for (const { list, batch } of lists)
    for (const rule of batch) {
      for (const one of rule(facts)) findings.push({ ...one, list } as Finding);
    }
  return facts.baseline?.provisional ? findings.map(atMostWarn) : findings;
}

/** A BLOCKed batch made a provisional baseline: a batch that differs from it may be the better one. */
const atMostWarn = (finding: Finding): Finding =>
  finding.severity === 'block' && kindOf(finding).comparesWithBaseline
    ? { ...finding, severity: 'warn' }
    : finding;

/** Findings with their rows, and how to find all rows of each while the engine holds the batch. */
interface WithRows {
  findings: Finding[];
  finds: Map<Finding, Find>;
}

/** Rows are looked up for findings whose rows are shown; all of them only for row verdicts. */
function withRows(judged: readonly Finding[], finder: RowFinder, rowVerdicts: boolean): WithRows {
  let anomalies = 0;
  const seen = new Set<string>();
  const finds: WithRows['finds'] = new Map();
  const withItsRows = (finding: Finding): Finding => {
    if (finding.kind === 'unusual_statistic' && ++anomalies > ANOMALIES_LISTED) {
      // Anomalies beyond the list need rows only if they are the first of their issue.
      const issue = issueKey(finding);
      if (issue === null || seen.has(issue)) return finding;
      seen.add(issue);
    }
    const kind = kindOf(finding);
    const isShown = kind.issue !== undefined || kind.anomaly !== undefined;
    const isListed = isShown && (kind.listsInfo || isAlarm(finding));
    const located = isListed || rowVerdicts ? kind.rows(finding, finder) : null;
    if (!located) return finding;
    const { find, code = kind.rowCode!, explainAll = true, rule } = located;
    const first = isListed ? finder.listed(find) : [];
    const span = isListed ? finder.spanOf(find) : null;
    const rows = { code, first, explainAll, ...(span && { span }), ...(rule !== undefined && { rule }) };
    const found = { ...finding, rows };
    finds.set(found, find);
    return found;
  };
  const findings: Finding[] = [];
  for (const finding of judged) {
    findings.push(withItsRows(finding));
  }
  return { findings, finds };
}

/** The issue of the contract that an unusual statistic shows as. */
function issueKey({ field, evidence }: UnusualStatistic): string | null {
  if (evidence.outliers !== undefined) return `outliers ${field}`;
  if (evidence.otherTypes) return `types ${field}`;
  return evidence.newValues ? `values ${field}` : null;
}
