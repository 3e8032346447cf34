/**
 * Why rows are held back: for what the report finds, and also, below the report's thresholds, for a value of another type than the field has
 * and for a null where there never was one. A threshold is for batches; for a row one wrong value is enough.
 */
import { measurementOf } from '../../baseline/batch-statistics.ts';
import { type FieldProfile, type Profile, VALUE_TYPES, type ValueType } from '../../profile/profile.ts';
import { typePlace } from '../../statistics/counts.ts';
import { LEARNED_BATCHES, NEVER_NULL_ROWS, REQUIRED_SHARE, ROUNDING } from '../policy.ts';
import type { DriftEvent, DriftKind, Judgement, RowCode, RowSeverity } from '../report.ts';
import { expectedType } from '../schema.ts';
import { signOf } from './anomalies.ts';
import type { Find, RowFinder } from './look.ts';
import { gravest, severityOf } from './severity.ts';

/** Several may be of one code and field. */
export interface Cause {
  code: RowCode;
  /** `*` of ragged rows. */
  field: string;
  severity: RowSeverity;
  find: Find;
}

interface Judged {
  judgement: Judgement;
  /** By `keyOf`. */
  events: ReadonlyMap<string, DriftEvent>;
  finder: RowFinder;
}

/** Kinds and codes have no spaces, whatever a field is called. */
export const keyOf = (kind: DriftKind | RowCode | undefined, field: string): string => `${kind} ${field}`;

export function causesOf(judgement: Judgement, profile: Profile, finder: RowFinder): Cause[] {
  const events = new Map(judgement.drift.map(event => [keyOf(event.kind, event.field), event]));
  const judged = { judgement, events, finder };
  return [
    ...profile.fields.flatMap(field => [
      ...mistyped(field, judged),
      ...nulls(field, judged),
      ...empties(field, judged),
    ]),
    ...ragged(judged),
    ...newValues(judged),
    ...outliers(judged),
    ...anomalous(judged),
  ];
}

function mistyped(field: FieldProfile, { judgement, events, finder }: Judged): Cause[] {
  const { name, counts } = field;
  const issue = judgement.issues?.type_mismatches?.[name];
  const expected = issue?.expected ?? expectedType(field, finder.baseline);
  const isMixed = VALUE_TYPES.some(type => type !== expected && counts[type] > 0);
  if (!issue && !(isMixed && isNews(name, expected, finder))) return [];
  const severity = gravest(issue, events.get(keyOf('type_changed', name)));
  return [{ code: 'type_mismatch', field: name, severity, find: finder.mistyped(field, expected) }];
}

/** In adaptive mode a mixture of types that the source had before is its own. */
function isNews(name: string, expected: ValueType, { baseline, mode }: RowFinder): boolean {
  const history = baseline?.recent ?? [];
  if (mode === 'contract' || history.length < LEARNED_BATCHES) return true;
  const others = VALUE_TYPES.flatMap((type, i) => (type === expected ? [] : [typePlace(i)]));
  return history.every(batch => others.every(other => !(measurementOf(batch, name, other) > 0)));
}

function nulls(field: FieldProfile, { judgement, events, finder }: Judged): Cause[] {
  const { name } = field;
  const find = field.nulls > 0 ? finder.without(field) : null;
  if (!find) return [];
  const issue = judgement.issues?.null_rates?.[name];
  const event = events.get(keyOf('null_spike', name));
  if (!issue && !event && !wasNeverNull(name, finder)) return [];
  return [{ code: 'null', field: name, severity: gravest(issue, event), find }];
}

const wasNeverNull = (name: string, { baseline }: RowFinder): boolean =>
  baseline!.fields.get(name)!.nullRate === 0 && baseline!.rows >= NEVER_NULL_ROWS;

/** Of a field that hardly ever had any. */
function empties({ name, column }: FieldProfile, { events, finder }: Judged): Cause[] {
  const event = events.get(keyOf('empty_string_spike', name));
  const before = finder.before(name);
  if (!event || !before || 1 - before.emptyRate < REQUIRED_SHARE - ROUNDING) return [];
  const find: Find = limit => finder.look.empty(column, limit);
  return [{ code: 'empty', field: name, severity: severityOf(event.severity), find }];
}

function ragged({ judgement: { issues }, finder: { look } }: Judged): Cause[] {
  if (!issues?.ragged_rows) return [];
  const { severity } = issues.ragged_rows;
  return [{ code: 'ragged', field: '*', severity, find: limit => look.ragged(limit) }];
}

const newValues = ({ judgement: { issues }, events, finder }: Judged): Cause[] =>
  Object.keys(issues?.new_enum_values ?? {}).flatMap(name => {
    const find = finder.newValues(finder.field(name)!);
    const severity = gravest(events.get(keyOf('new_enum_value', name)));
    return find ? [{ code: 'new_value' as const, field: name, severity, find }] : [];
  });

const outliers = ({ judgement: { issues }, finder }: Judged): Cause[] =>
  Object.entries(issues?.outliers ?? {}).flatMap(([name, { severity }]) => {
    const find = finder.outliers(finder.field(name)!);
    return find ? [{ code: 'outlier' as const, field: name, severity, find }] : [];
  });

const anomalous = ({ judgement: { anomalies = [] }, finder }: Judged): Cause[] =>
  anomalies.flatMap(anomaly => {
    const sign = signOf(anomaly, finder);
    const severity = severityOf(anomaly.severity);
    return sign ? [{ code: sign.code, field: anomaly.field, severity, find: sign.find }] : [];
  });
