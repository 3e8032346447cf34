/** Converts row numbers of a batch to row numbers of its file. */
import { byName } from '../../../src/names/by-name.ts';
import type { Issues, Quarantine, Report, RowNumbers } from '../../../src/report-schema/report.ts';

/** A copy of the report with each row number replaced. */
export function renumbered(report: Report, numberOf: (row: number) => number): Report {
  const { issues, anomalies, quarantine } = report;
  const change = (rows: RowNumbers): RowNumbers => rows.map(numberOf);
  return {
    ...report,
    ...(issues && { issues: issuesOf(issues, change) }),
    ...(anomalies && { anomalies: anomalies.map(each => detailOf(each, change)) }),
    ...(quarantine && { quarantine: quarantineOf(quarantine, numberOf) }),
  };
}

type Change = (rows: RowNumbers) => RowNumbers;

function issuesOf(issues: Issues, change: Change): Issues {
  const {
    type_mismatches,
    slight_type_mismatches: slight,
    null_rates,
    outliers,
    new_enum_value_rows,
    ragged_rows,
    layout,
    signs,
    rule_violations,
  } = issues;
  return {
    ...issues,
    ...(type_mismatches && { type_mismatches: mapped(type_mismatches, each => detailOf(each, change)) }),
    ...(slight && { slight_type_mismatches: mapped(slight, each => detailOf(each, change)) }),
    ...(null_rates && { null_rates: mapped(null_rates, each => detailOf(each, change)) }),
    ...(outliers && { outliers: mapped(outliers, each => detailOf(each, change)) }),
    ...(new_enum_value_rows && { new_enum_value_rows: mapped(new_enum_value_rows, change) }),
    ...(ragged_rows && { ragged_rows: detailOf(ragged_rows, change) }),
    ...(layout && { layout: layout.map(each => detailOf(each, change)) }),
    ...(signs && { signs: signs.map(each => detailOf(each, change)) }),
    ...(rule_violations && { rule_violations: rule_violations.map(each => detailOf(each, change)) }),
  };
}

const detailOf = <Detail extends { rows?: RowNumbers }>(detail: Detail, change: Change): Detail =>
  detail.rows ? { ...detail, rows: change(detail.rows) } : detail;

const mapped = <Value>(map: Record<string, Value>, change: (value: Value) => Value): Record<string, Value> =>
  byName(Object.entries(map).map(([name, value]) => [name, change(value)] as const));

const quarantineOf = (quarantine: Quarantine, numberOf: (row: number) => number): Quarantine => ({
  ...quarantine,
  rows: quarantine.rows.map(([row, reasons]) => [numberOf(row), reasons]),
});
