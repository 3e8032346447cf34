/**
 * A finding: one thing that a rule found wrong with a batch. Verdict, health, reason, `issues`, `drift`, `anomalies` and
 * `quarantine` are projections of findings. What belongs to a kind of finding is in one file of this folder.
 */
import type {
  Anomaly,
  DriftEvent,
  Issues,
  RowCode,
  RowNumbers,
  RowNumberSpan,
  Severity,
} from '../report-schema/report.ts';
import type { Find, RowFinder } from './row-finder.ts';

/** The list of rules that found it. */
export type RuleList = 'thresholds' | 'structure' | 'learned' | 'declared';

/**
 * What the finding is about. Findings of scope `rows` mark single rows of a field that is within its thresholds: only
 * `quarantine` shows them.
 */
export type Scope = 'batch' | 'field' | 'rows';

export interface FindingOf<Kind extends string, Known extends object> {
  kind: Kind;
  list: RuleList;
  /** Null for the batch as a whole. */
  field: string | null;
  severity: Severity;
  scope: Scope;
  /**
   * What the rule found. A member `values` holds all values of the payload and figures of such values, and nothing else does: it is
   * absent where values are not stored, so sentences and projections work without it.
   */
  evidence: Known;
  rows?: FoundRows;
}

/** The rows behind a finding. */
export interface FoundRows {
  code: RowCode;
  /** The declared rule that they fail. */
  rule?: string;
  /** The first ones, as a report numbers them. */
  first: RowNumbers;
  /** The stretch of the batch to which they are confined. */
  span?: RowNumberSpan;
  /** Whether the finding goes away when these rows are held back. */
  explainAll: boolean;
}

/** Everything that belongs to one kind of finding. A kind that lacks a part does not compile. */
export interface Kind<Name extends string, Known extends object> {
  name: Name;
  /** One sentence for the API document. */
  description: string;
  /** Whether it needs a baseline. Against a provisional one it is `warn` at most. */
  comparesWithBaseline: boolean;
  /** Findings of one group lower health once, however many fields they hit. Null: findings of this kind never lower it. */
  healthGroup: string | null;
  /** 0..1: what it takes from health. */
  penalty(finding: FindingOf<Name, Known>): number;
  /** What is wrong, for people. */
  words(finding: FindingOf<Name, Known>): string;
  /** What `quarantine` calls rows with this finding; null where no rows can be named. */
  rowCode: RowCode | null;
  /** Whether its rows are to be held back; by default they are. */
  isHeld?(finding: FindingOf<Name, Known>): boolean;
  /** The rows behind it; null where there are none to name. */
  rows(finding: FindingOf<Name, Known>, finder: RowFinder): LocatedRows | null;
  /** The declared rule that it is about: its rows are a reason of their own. */
  rule?(finding: FindingOf<Name, Known>): string;
  /** How grave its rows are, where that is graded apart from the verdict. */
  rowSeverity?(finding: FindingOf<Name, Known>): Severity;
  /** What `quarantine.whole_batch` calls it; null where it is not listed there. */
  batchCode(finding: FindingOf<Name, Known>): string | null;
  /** The rate that a threshold of the contract limits, 0..1; null where none does. */
  thresholdRate?(finding: FindingOf<Name, Known>): ThresholdRate | null;
  /** Whether the report lists it, with its rows, at severity `info` too. */
  listsInfo: boolean;
  /** Adds it to the report's issues. */
  issue?(finding: FindingOf<Name, Known>, issues: Issues): void;
  /** Null where this one is no drift event. */
  drift?(finding: FindingOf<Name, Known>): DriftEvent | null;
  anomaly?(finding: FindingOf<Name, Known>): Anomaly | null;
}

export type ThresholdRate = { null_rate: number } | { type_mismatch: number };

export interface LocatedRows {
  find: Find;
  /** By default the kind's `rowCode`. */
  code?: RowCode;
  /** By default true. */
  explainAll?: boolean;
  rule?: string;
}

/** `field` as a report spells it: `*` for the batch as a whole. */
export const WHOLE_BATCH = '*';
export const fieldOf = ({ field }: { field: string | null }): string => field ?? WHOLE_BATCH;

/** `{ rows }` where there are rows to list, and `span` where they are confined to a stretch. */
export const rowsIn = ({ rows }: { rows?: FoundRows }): { rows?: RowNumbers; span?: RowNumberSpan } => ({
  ...(rows && rows.first.length > 0 && { rows: rows.first }),
  ...(rows?.span && { span: rows.span }),
});
