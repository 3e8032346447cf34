/** All batches of a file as one result: what people read first. */
import type { Report } from '../client/contract.ts';
import { type Finding, findingsIn } from '../client/findings.ts';
import { SEVERITIES, type Verdict, VERDICTS } from '../terms/verdict.ts';
import { grouped, plural, quoted } from '../terms/wording.ts';
import type { ShownBatch, ShownFailure } from './batch.ts';

/** Different findings that are kept of a file. Names come from the file, so there may be any number. */
export const MAX_FINDINGS = 1000;

/** A finding that several batches of a file may have. */
export interface SharedFinding {
  /** As the first of the batches states it. */
  finding: Finding;
  numbering: Report['stats']['row_numbers'];
  batches: number;
  firstBatch: number;
}

export class FileSummary {
  batches = 0;
  rows = 0;
  lowestHealth = 1;
  /** The first result with the worst verdict; null before the first result. */
  worst: ShownBatch | null = null;
  failure: ShownFailure | null = null;
  /** What people said of it. */
  note = '';
  /** Different findings beyond `MAX_FINDINGS`. */
  leftOut = 0;
  readonly counts: Record<Verdict, number> = { PASS: 0, WARN: 0, BLOCK: 0 };
  readonly #findings = new Map<string, SharedFinding>();

  constructor(readonly file: string | null) {}

  add(result: ShownBatch): void {
    const { report, firstRow, lastRow } = result;
    this.batches++;
    this.rows += lastRow - firstRow + 1;
    this.counts[report.status]++;
    this.lowestHealth = Math.min(this.lowestHealth, report.health_score);
    if (this.worst === null || VERDICTS.indexOf(report.status) > VERDICTS.indexOf(this.worst.report.status))
      this.worst = result;
    for (const finding of findingsIn(report)) this.#share(finding, result);
  }

  get verdict(): Verdict {
    return this.worst?.report.status ?? 'PASS';
  }

  /** The gravest first, then in the order in which they came. */
  get findings(): SharedFinding[] {
    const severityOf = ({ finding }: SharedFinding) => SEVERITIES.indexOf(finding.severity);
    return [...this.#findings.values()].sort((a, b) => severityOf(b) - severityOf(a));
  }

  /** `24,000 rows in 3 batches`, `120 rows` */
  get size(): string {
    const rows = plural(this.rows, 'row');
    return this.batches > 1 ? `${rows} in ${grouped(this.batches)} batches` : rows;
  }

  /** `2 PASS, 1 BLOCK` */
  get verdicts(): string {
    return VERDICTS.filter(verdict => this.counts[verdict] > 0)
      .map(verdict => `${grouped(this.counts[verdict])} ${verdict}`)
      .join(', ');
  }

  #share(finding: Finding, { batch, report }: ShownBatch): void {
    const key = keyOf(finding);
    const known = this.#findings.get(key);
    if (known) known.batches++;
    else if (this.#findings.size === MAX_FINDINGS) this.leftOut++;
    else {
      const numbering = report.stats.row_numbers;
      this.#findings.set(key, { finding, numbering, batches: 1, firstBatch: batch });
    }
  }
}

/** Those of one field together, with a title, in the order of the first of each. */
export const fieldGroups = (
  findings: readonly SharedFinding[],
): [title: string, findings: SharedFinding[]][] =>
  [...Map.groupBy(findings, ({ finding }) => finding.field)].map(([field, alike]) => [
    field === null ? 'The whole batch' : quoted(field),
    alike,
  ]);

/** Equal for findings that differ only in numbers and values. A rule and a statistic are named only in the text, before its values. */
function keyOf({ kind, field, severity, text }: Finding): string {
  const isNamed = kind === 'anomaly' || kind === 'rule_violation';
  const name = isNamed ? text.split(/: | is violated/)[0]! : '';
  return JSON.stringify([kind, field, severity, name]);
}

/** `in 3 of 24 batches, the first is batch 2`; empty for a file of one batch. */
export function sharedBy({ batches, firstBatch }: SharedFinding, summary: FileSummary): string {
  if (summary.batches === 1) return '';
  if (batches === 1) return `in batch ${grouped(firstBatch)}`;
  return `in ${grouped(batches)} of ${grouped(summary.batches)} batches, first in batch ${grouped(firstBatch)}`;
}
