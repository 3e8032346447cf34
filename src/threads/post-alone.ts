/** Judges a post to a source with a window alone: by thresholds, structure and rules, without the past. */
import type { Engine } from '../engine/engine.ts';
import type { Finding } from '../findings/kinds.ts';
import type { ReportHead } from '../report/response.ts';
import type { DeclaredRules } from '../rules/declared/constraint.ts';
import type { PatternCache } from '../rules/declared/patterns.ts';
import type { SourceNotes } from '../stores/ports.ts';
import { evidenceInEngine } from './evidence.ts';
import { bodyWithoutValues, headOf, judgeAlone, reportBatch } from './judged-batch.ts';
import type { BodyStart, ParsedBatch } from './parsed-batch.ts';
import type { TaskSettings } from './source-tasks.ts';

/** A request to a source with a window. */
export interface WindowPost {
  start: BodyStart;
  pieces: readonly Uint8Array[];
  /** Of the request. */
  id: string;
  /** In ms. */
  at: number;
  /** Whether its answer is kept for a repeat. */
  isKept: boolean;
}

/** A finding that makes a post WARN or BLOCK. */
export interface WindowFinding {
  kind: string;
  /** Null: of the post as a whole. */
  field: string | null;
  /** The declared rule; null for other findings. */
  rule: string | null;
  severity: 'warn' | 'block';
}

/** What is said of a post. */
export interface SaidOfPost {
  source: string;
  rows: number;
  /** Whether not all rows were measured. */
  isSampled: boolean;
  /** Nothing of it is kept. */
  dryRun: boolean;
  head: ReportHead;
  /** The report as JSON. Its `latency_ms` is 0 until it is known. */
  body: string;
  /** The same as it is kept for a repeat. */
  keptBody: string;
  findings: WindowFinding[];
}

/** The thread that has the engine. */
export interface AloneContext {
  engine(): Engine;
  settings: TaskSettings;
  patterns: PatternCache;
  /** Those of sources, by their stored text. */
  rulesOf(text: string | null): DeclaredRules | null;
}

/** Of the post that the engine has parsed. `notes`: of its source. Throws `Rejection`. */
export function saidOfPost(
  { id, at, isKept }: WindowPost,
  parsed: ParsedBatch,
  notes: Pick<SourceNotes, 'settings' | 'rules'>,
  { engine, settings, patterns, rulesOf }: AloneContext,
): SaidOfPost {
  const { sampleRows, defaultMode, storeValues } = settings;
  const { source, options } = parsed.end();
  const profile = parsed.measure(sampleRows, options.fullScan, null);
  const context = { evidence: evidenceInEngine(engine(), patterns), rulesOf, defaultMode };
  const judged = judgeAlone({ source, options, profile, id, at }, notes, context);
  const { report, body } = reportBatch(judged, false, storeValues);
  return {
    source,
    rows: profile.rows,
    isSampled: profile.analysedRows < profile.rows,
    dryRun: options.dryRun,
    head: headOf(report),
    body,
    keptBody: isKept && !storeValues ? bodyWithoutValues(judged) : body,
    findings: judged.assessment.findings.flatMap(alarmIn),
  };
}

function alarmIn(finding: Finding): WindowFinding[] {
  const { kind, field, severity } = finding;
  if (severity === 'info' || finding.scope === 'rows') return [];
  return [{ kind, field, rule: kind === 'rule_violation' ? finding.evidence.rule : null, severity }];
}
