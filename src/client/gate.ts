/** The gate: a verdict that holds a batch is an error, so that what follows does not run. */
import type { Options, Report } from './contract.ts';
import type { Screening } from './screening.ts';
import type { GateSettings } from './settings.ts';
import type { Place } from './sluice-error.ts';

/** The gate is closed. `report` says why; after `gateAll`, `place` says which rows. */
export class Blocked extends Error {
  override readonly name = 'Blocked';
  readonly report: Report;
  readonly screening: Screening;
  readonly place: Place | null;

  constructor(screening: Screening, place: Place | null = null) {
    const { report, url } = screening;
    const where = place === null ? '' : `rows ${place.firstRow} to ${place.lastRow}: `;
    const at = url === '' ? '' : ` (${url})`;
    super(`${report.status} ${where}${report.decision.reason}${at}`);
    this.report = report;
    this.screening = screening;
    this.place = place;
  }
}

const HOLDING: Record<'block' | 'warn', ReadonlySet<string>> = {
  block: new Set(['BLOCK']),
  warn: new Set(['WARN', 'BLOCK']),
};

/** The verdicts that close the gate. Throws `TypeError`. */
export function holding({ blockOn = 'block' }: GateSettings): ReadonlySet<string> {
  const verdicts = Object.hasOwn(HOLDING, blockOn) ? HOLDING[blockOn] : undefined;
  if (verdicts === undefined) throw new TypeError("blockOn must be 'block' or 'warn'");
  return verdicts;
}

/** Who holds a batch wants to know its rows. */
export const withRows = <Given extends { options?: Options | undefined }>(input: Given): Given => ({
  ...input,
  options: { row_verdicts: true, ...input.options },
});
