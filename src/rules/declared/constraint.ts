/** Rules as they are checked: a flat list of constraints. */
import type {
  DeclaredFormat,
  DeclaredSeverity,
  DeclaredType,
  Direction,
  Operator,
  RulesDocument,
  Scalar,
} from './document.ts';

/** What is checked; `expected` is what the answer shows of it. */
export type Check =
  | { kind: 'required'; expected: true }
  | { kind: 'type'; expected: readonly DeclaredType[] }
  | { kind: 'nullable'; expected: false }
  | { kind: 'max_null_rate'; expected: number }
  | { kind: 'minimum' | 'maximum' | 'exclusive_minimum' | 'exclusive_maximum'; expected: number }
  | { kind: 'multiple_of' | 'min_length' | 'max_length'; expected: number }
  | { kind: 'enum'; expected: readonly Scalar[] }
  | { kind: 'pattern'; expected: string }
  | { kind: 'format'; expected: DeclaredFormat }
  /** `expected` is the duration as it was written. */
  | { kind: 'max_age'; expected: string; ageMs: number }
  | { kind: 'monotonic'; expected: Direction }
  /** Of one field or of several. */
  | { kind: 'unique'; expected: true; fields: readonly string[] }
  | { kind: 'compare'; expected: string; op: Operator; with: { field: string } | { value: Scalar } }
  | { kind: 'min_rows' | 'max_rows'; expected: number }
  | { kind: 'closed'; expected: true; names: readonly string[] }
  | { kind: 'statistic'; expected: Bounds; statistic: string };

export type ConstraintKind = Check['kind'];

export interface Bounds {
  minimum?: number;
  maximum?: number;
}

export type Constraint = Check & {
  /** Its path in the document: `fields.quantity.minimum`, `compare[0]`. */
  rule: string;
  /** Null for the batch as a whole. */
  field: string | null;
  severity: DeclaredSeverity;
  /** Rows that may fail: a share below 1, a count from 1 on. */
  tolerance: number;
  description?: string;
  /** The rows that it is about: a place in `conditions`; null for all. */
  condition: number | null;
};

/** Rows in which a field has one of the values, or has (or has not) any. */
export type Condition = { field: string } & ({ values: readonly Scalar[] } | { null: boolean });

/** A document that was checked. */
export interface DeclaredRules {
  document: RulesDocument;
  constraints: readonly Constraint[];
  conditions: readonly Condition[];
}
