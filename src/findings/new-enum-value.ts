/** new_enum_value: a category that a field of few values never had. */
import { byName } from '../names/by-name.ts';
import type { Issues } from '../report-schema/report.ts';
import { quoted, shortened } from '../terms/errors.ts';
import { VALUES_QUOTED } from '../terms/policy.ts';
import { percent, plural, quotedList } from '../terms/wording.ts';
import { driftEvent, eventBatchCode, eventPenalty } from './drift-event.ts';
import type { FindingOf, Kind } from './finding.ts';

export interface NewValues {
  /** Share of the analysed rows: 0..1. */
  rate: number;
  /** Values that the baseline knows. */
  known: number;
}

export interface NewEnumValueEvidence extends NewValues {
  /** The first distinct ones, at most NEW_VALUES_LISTED. */
  values?: { listed: string[] };
}

/** "New values in 'status': 'a', 'b' (10% of rows)". */
export const newValueWords = (field: string, { rate }: NewValues, values?: string[]): string =>
  `New values in ${quoted(field)}${values ? `: ${quotedList(values, VALUES_QUOTED)}` : ''} (${percent(rate)} of rows)`;

/** Absent `current`: the values are not kept. */
export const newValueSides = ({ known }: NewValues, values?: string[]) => ({
  previous: plural(known, 'known value'),
  ...(values && { current: quotedList(values, VALUES_QUOTED) }),
});

/** Adds them to `issues`, with their rows. */
export function listNewValues(
  issues: Issues,
  { field, rows }: Pick<FindingOf<string, object>, 'field' | 'rows'>,
  values: string[] = [],
): void {
  issues.new_enum_values ??= byName([]);
  issues.new_enum_values[field!] = values.map(shortened);
  if (!rows?.first.length) return;
  issues.new_enum_value_rows ??= byName([]);
  issues.new_enum_value_rows[field!] = rows.first;
}

const words: Kind<'new_enum_value', NewEnumValueEvidence>['words'] = ({ field, evidence }) =>
  newValueWords(field!, evidence, evidence.values?.listed);

export const newEnumValue: Kind<'new_enum_value', NewEnumValueEvidence> = {
  name: 'new_enum_value',
  description: 'A field of few values has one that the baseline lacks',
  comparesWithBaseline: true,
  healthGroup: 'new_enum_value',
  penalty: eventPenalty,
  words,
  rowCode: 'new_value',
  rows({ field }, finder) {
    const find = finder.newValues(finder.field(field)!);
    return find && { find };
  },
  batchCode: eventBatchCode,
  listsInfo: true,
  issue: (finding, issues) => listNewValues(issues, finding, finding.evidence.values?.listed),
  drift: finding =>
    driftEvent(finding, words(finding), newValueSides(finding.evidence, finding.evidence.values?.listed)),
};
