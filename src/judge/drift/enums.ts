/** new_enum_value: a category that a low-cardinality string field never had. */
import type { BaselineField } from '../../baseline/baseline.ts';
import { quoted, shortened } from '../../errors.ts';
import type { ColumnQueries } from '../../engine/queries.ts';
import type { FieldProfile } from '../../profile/profile.ts';
import { share } from '../crossing.ts';
import { NEW_VALUES_LISTED, NEW_VALUES_WARN_ROWS, NEW_VALUES_WARN_SHARE } from '../policy.ts';
import type { DriftEvent, DriftSeverity } from '../report.ts';
import { percent, plural, quotedList } from '../wording.ts';
import { isLowCardinality } from './cardinality.ts';

export interface NewEnumValues {
  event: DriftEvent;
  /** At most 20, each cut at 64 characters. */
  values: string[];
}

export function newEnumValues(
  field: FieldProfile,
  before: BaselineField,
  look: ColumnQueries,
  analysedRows: number,
): NewEnumValues | null {
  if (!isLowCardinality(before)) return null;
  const unseen = look.unseen(field.column, before.known, NEW_VALUES_LISTED);
  if (unseen.rows === 0) return null;
  const rate = share(unseen.rows, analysedRows);
  const current = quotedList(unseen.values);
  const event: DriftEvent = {
    field: field.name,
    kind: 'new_enum_value',
    severity: severityOf(unseen.rows, rate),
    detail: `New values in ${quoted(field.name)}: ${current} (${percent(rate)} of rows)`,
    previous: plural(before.known.length, 'known value'),
    current,
  };
  return { event, values: unseen.values.map(shortened) };
}

const severityOf = (rows: number, rate: number): DriftSeverity =>
  rows >= NEW_VALUES_WARN_ROWS && rate >= NEW_VALUES_WARN_SHARE ? 'warn' : 'info';
