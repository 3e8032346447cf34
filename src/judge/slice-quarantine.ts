/** Row verdicts on a batch in slices: when the whole is judged, each slice is looked at once more for the rows of its findings. */
import type { Baseline } from '../baseline/baseline.ts';
import type { RowList, RowQueries } from '../engine/queries.ts';
import { type Finding, kindOf } from '../findings/kinds.ts';
import { type Find, RowFinder } from '../findings/row-finder.ts';
import type { Profile } from '../profile/profile.ts';
import type { Quarantine, RowReason } from '../report-schema/report.ts';
import { quarantineOf, reasonKey, wholeBatch } from './quarantine.ts';

/** The slice that the engine holds. */
export interface HeldSlice {
  profile: Profile;
  rowQueries: RowQueries;
  /** As it was when the whole was judged. */
  baseline: Baseline | null;
  /** Rows of the slice that fail declared rules, by path of the rule. */
  failing: ReadonlyMap<string, RowList>;
}

/** The rows of one slice. `findings`: of the whole batch. */
export function quarantineOfSlice(findings: readonly Finding[], slice: HeldSlice): Quarantine {
  const { profile, rowQueries, baseline } = slice;
  const finder = new RowFinder(profile, rowQueries, baseline);
  const finds = new Map(findings.map(finding => [finding, findIn(finding, slice, finder)] as const));
  return quarantineOf(findings, finds, profile.rows, finder);
}

const NONE: Find = () => new Float64Array();

function findIn(finding: Finding, { profile, failing }: HeldSlice, finder: RowFinder): Find {
  const { rows, field } = finding;
  if (rows === undefined) return NONE;
  if (finding.kind === 'rule_violation') {
    const found = failing.get(finding.evidence.rule) ?? new Float64Array();
    return limit => found.slice(0, limit);
  }
  if (field !== null && finder.field(field) === undefined)
    return rows.code === 'null' ? limit => firstRows(Math.min(limit, profile.rows)) : NONE;
  return kindOf(finding).rows(finding, finder)?.find ?? NONE;
}

const firstRows = (count: number): RowList => Float64Array.from({ length: count }, (_, row) => row);

/** Rows that a report on a larger batch lists; `count` counts all of them. */
export const QUARANTINE_ROWS = 100_000;

/** Of all slices, in their order. */
export class WholeQuarantine {
  readonly #findings: readonly Finding[];
  readonly #reasons: RowReason[] = [];
  readonly #places = new Map<string, number>();
  readonly #rows: Quarantine['rows'] = [];
  #count = 0;

  constructor(findings: readonly Finding[]) {
    this.#findings = findings;
  }

  /** `numberOf`: a row of the slice as one of the batch. */
  add({ count, reasons, rows }: Quarantine, numberOf: (row: number) => number): void {
    this.#count += count;
    const places = reasons.map(reason => this.#placeOf(reason));
    for (const [row, ofRow] of rows.slice(0, Math.max(0, QUARANTINE_ROWS - this.#rows.length)))
      this.#rows.push([numberOf(row), ofRow.map(place => places[place]!)]);
  }

  get quarantine(): Quarantine {
    const [reasons, rows] = [this.#reasons, this.#rows];
    return { count: this.#count, reasons, rows, whole_batch: wholeBatch(this.#findings, reasons) };
  }

  #placeOf(reason: RowReason): number {
    const key = reasonKey(reason.code, reason.field, reason.rule);
    const known = this.#places.get(key);
    if (known === undefined) {
      this.#places.set(key, this.#reasons.length);
      return this.#reasons.push(reason) - 1;
    }
    this.#reasons[known] = { ...this.#reasons[known]!, count: this.#reasons[known]!.count + reason.count };
    return known;
  }
}
