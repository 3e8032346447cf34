/**
 * A finding: one thing that a rule found wrong with a batch. Verdict, health, reason, `issues`, `drift`, `anomalies` and
 * `quarantine` are projections of findings. What belongs to a kind of finding stands in one file of this folder.
 */
import type { Anomaly, DriftEvent, Issues, RowCode, RowNumbers, Severity } from '../contract/report.ts';
import type { Find, RowFinder } from './row-finder.ts';

/** Which list of rules found it. */
export type RuleList = 'thresholds' | 'structure' | 'learned';

/**
 * What it says something about. Findings of scope `rows` mark single rows of a field that is within its thresholds:
 * they only show in `quarantine`.
 */
export type Scope = 'batch' | 'field' | 'rows';

export interface FindingOf<Kind extends string, Evidence> {
  kind: Kind;
  list: RuleList;
  /** Null for the batch as a whole. */
  field: string | null;
  severity: Severity;
  scope: Scope;
  evidence: Evidence;
  rows?: FoundRows;
}

/** The rows behind a finding. */
export interface FoundRows {
  code: RowCode;
  /** The first ones, as a report numbers them. */
  first: RowNumbers;
  /** Whether the finding goes away when these rows are held back. */
  explainAll: boolean;
  /** Works while the engine holds the batch. */
  find: Find;
}

type OptionalKeys<T> = {
  [Key in keyof T]-?: Record<never, never> extends Pick<T, Key> ? Key : never;
}[keyof T];

/** Everything that belongs to one kind of finding. A kind that lacks a part does not compile. */
export interface Kind<Name extends string, Evidence> {
  name: Name;
  /** One sentence for the API document. */
  description: string;
  /** Findings of one group lower health once, however many fields they hit. Null: they never do. */
  healthGroup: string | null;
  /** 0..1: what it takes from health. */
  penalty(finding: FindingOf<Name, Evidence>): number;
  /**
   * The members of the evidence that hold values of the payload or figures of such values. They are optional in the evidence, so
   * that `words` and the projections have to work without them.
   */
  valuesIn(evidence: Evidence): readonly OptionalKeys<Evidence>[];
  /** What is wrong, for people. */
  words(finding: FindingOf<Name, Evidence>): string;
  /** What `quarantine` calls rows with this finding; null where no rows can be named. */
  rowCode: RowCode | null;
  /** The rows behind it; null where there are none to name. */
  rows(finding: FindingOf<Name, Evidence>, finder: RowFinder): LocatedRows | null;
  /** How grave its rows are, where that is graded apart from the verdict. */
  rowSeverity?(finding: FindingOf<Name, Evidence>): Severity;
  /** What `quarantine.whole_batch` calls it; null where it is not listed there. */
  batchCode(finding: FindingOf<Name, Evidence>): string | null;
  /** Whether the report lists it, with its rows, at severity `info` too. */
  listsInfo: boolean;
  /** Adds it to the report's issues. */
  issue?(finding: FindingOf<Name, Evidence>, issues: Issues): void;
  /** Null where this one is no drift event. */
  drift?(finding: FindingOf<Name, Evidence>): DriftEvent | null;
  anomaly?(finding: FindingOf<Name, Evidence>): Anomaly | null;
}

export interface LocatedRows {
  find: Find;
  /** By default the kind's `rowCode`. */
  code?: RowCode;
  /** By default true. */
  explainAll?: boolean;
}

/** `field` as a report spells it: `*` for the batch as a whole. */
export const WHOLE_BATCH = '*';
export const fieldOf = ({ field }: { field: string | null }): string => field ?? WHOLE_BATCH;

/** `{ rows }` where there are rows to list. */
export const rowsIn = ({ rows }: { rows?: FoundRows }): { rows?: RowNumbers } =>
  rows && rows.first.length > 0 ? { rows: rows.first } : {};
