/**
 * Merges the state of a batch into a record. States are merged in the order of their ids, so replicas that read the same
 * states have the same bits, in whatever order the states were appended.
 */
import { MAX_ENUM } from '../../assembly/abi.ts';
import { dominantType, isDefinite } from '../profile/field-type.ts';
import type { FieldType, ValueType } from '../profile/profile.ts';
import type { NumberSummary } from '../statistics/measurement.ts';
import { PLACE } from '../statistics/registry.ts';
import { isMissed } from './baseline.ts';
import { RECENT_BATCHES } from './batch-statistics.ts';
import { reduced, statisticsOf } from './collect-statistics.ts';
import { BRIEF, FULL, least } from './detail.ts';
import { DECAY } from './decay.ts';
import { packRegisters, Sketches } from './distinct.ts';
import { allotment, fieldCost, hasRoom } from './limits.ts';
import { type Component, Mixture } from './quantiles.ts';
import { hasAll } from './hashes.ts';
import {
  type BaselineRecord,
  EMPTY_FIELD,
  EMPTY_RECORD,
  type FieldRecord,
  type Moments,
  withDetail,
} from './record.ts';
import { type BatchState, type FieldState, isBrief, typeCountsOf } from './state.ts';

/** The record after one more batch. */
export function mergeState(record: BaselineRecord, state: BatchState): BaselineRecord {
  const batches = record.batches + 1;
  const { fields, cost } = mergeFields(record, state, batches);
  const recent = recentWithin(record, fields);
  const latest = statisticsOf(state, recent.at(-1)?.places, name => fields.get(name)?.detail);
  return {
    batches,
    rows: record.rows + state.rows,
    rowCounts: state.chunk ? record.rowCounts : lastOf([...record.rowCounts, state.rows]),
    recent: lastOf([...recent, latest]),
    fields,
    cost,
  };
}

const lastOf = <T>(items: readonly T[]): readonly T[] => items.slice(-RECENT_BATCHES);

function mergeFields(
  record: BaselineRecord,
  state: BatchState,
  batch: number,
): Pick<BaselineRecord, 'fields' | 'cost'> {
  let { cost } = record;
  const names = [...record.fields.keys()];
  for (const name of state.fields.keys()) {
    if (record.fields.has(name) || !hasRoom(names.length, cost, name)) continue;
    names.push(name);
    cost += fieldCost(name);
  }
  const allotted = allotment(names.length, cost);
  const fields = new Map<string, FieldRecord>();
  for (let index = 0; index < names.length; index++) {
    const name = names[index]!;
    const seen = state.fields.get(name);
    // What is unknown of one batch is unknown of all: a text would be called new that this batch had.
    const detail = least(allotted(index), seen && isBrief(seen) ? BRIEF : FULL);
    const before = withDetail(record.fields.get(name) ?? EMPTY_FIELD, detail);
    fields.set(name, seen ? mergeField(before, seen, state.rows, batch) : withoutField(before, state.rows));
  }
  return { fields, cost };
}

/** The last batches, without detail that the fields have no more. */
function recentWithin(
  { recent, fields }: BaselineRecord,
  left: BaselineRecord['fields'],
): BaselineRecord['recent'] {
  for (const [name, { detail }] of fields)
    if (detail !== left.get(name)!.detail) return reduced(recent, left);
  return recent;
}

/** A record that an older program has written, without detail that there is no room for. */
export function withinLimits(record: BaselineRecord): BaselineRecord {
  const allotted = allotment(record.fields.size, record.cost);
  const fields = new Map<string, FieldRecord>();
  for (const [name, field] of record.fields) fields.set(name, withDetail(field, allotted(fields.size)));
  return { ...record, fields, recent: recentWithin(record, fields) };
}

/** The batch lacks the field: its rows are null and not present. A removal is not learned, so it is reported until a reset. */
function withoutField(field: FieldRecord, rows: number): FieldRecord {
  if (isMissed(field.present / field.rows, rows)) return field;
  const older = aged(field);
  return { ...older, rows: older.rows + rows, nulls: older.nulls + rows };
}

/** Written out: copying the record three times took a quarter of the merge. */
function mergeField(field: FieldRecord, seen: FieldState, rows: number, batch: number): FieldRecord {
  const counts = typeCountsOf(seen);
  const values = field.detail === BRIEF ? field : mergeValues(field, seen, batch);
  const sum = (before: number, place: number): number => before * DECAY + seen.numbers[place]!;
  return {
    detail: field.detail,
    type: mergeType(field.type, dominantType(counts), isReadAsCodes(seen)),
    batches: field.batches + 1,
    rows: field.rows * DECAY + rows,
    present: sum(field.present, PLACE.present),
    nulls: sum(field.nulls, PLACE.nulls),
    strings: field.strings * DECAY + counts.string,
    empties: sum(field.empties, PLACE.empties),
    counts: mergeCounts(isReadAsCodes(seen) ? asTexts(field.counts) : field.counts, counts),
    values: values.values,
    distinct: values.distinct,
    texts: values.texts,
    known: values.known,
    sketches: values.sketches,
    moments: values.moments,
    components: values.components,
  };
}

/** What is known of the values. A brief field has nothing of them. */
function mergeValues(
  field: FieldRecord,
  { numbers, listed, sketch, summary }: FieldState,
  batch: number,
): Pick<FieldRecord, 'values' | 'distinct' | 'texts' | 'known' | 'sketches' | 'moments' | 'components'> {
  const finite = numbers[PLACE.finite]!;
  const moments = agedMoments(field.moments);
  return {
    values: field.values * DECAY + numbers[PLACE.values]!,
    distinct: field.distinct * DECAY + numbers[PLACE.distinct]!,
    texts: field.texts + numbers[PLACE.texts]!,
    known: mergeKnown(field.known, listed),
    sketches: field.sketches.with(sketch),
    moments: summary ? mergeMoments(moments, summary, finite) : moments,
    components: summary ? [...field.components, componentOf(summary, finite, batch)] : field.components,
  };
}

/** The field's sums one batch later. */
function aged(field: FieldRecord): FieldRecord {
  return {
    ...field,
    rows: field.rows * DECAY,
    present: field.present * DECAY,
    nulls: field.nulls * DECAY,
    strings: field.strings * DECAY,
    empties: field.empties * DECAY,
    values: field.values * DECAY,
    distinct: field.distinct * DECAY,
    moments: agedMoments(field.moments),
  };
}

const agedMoments = (moments: Moments | null): Moments | null =>
  moments && { weight: moments.weight * DECAY, mean: moments.mean, m2: moments.m2 * DECAY };

function mergeType(before: FieldType, now: FieldType, areCodes: boolean): FieldType {
  if (areCodes && before === 'number') return 'string';
  if (isDefinite(before) || now === 'null') return before;
  return now;
}

/** A CSV column in which numbers are texts. From then on they are: the batches before lacked the codes that tell. */
const isReadAsCodes = ({ numbers }: FieldState): boolean =>
  numbers[PLACE.typed_texts]! > 0 && numbers[PLACE.numbers] === 0;

const asTexts = (counts: TypeCounts): TypeCounts => ({
  ...{ object: counts.object, array: counts.array, number: 0, boolean: 0 },
  string: counts.string + counts.number + counts.boolean,
});

type TypeCounts = Readonly<Record<ValueType, number>>;

const mergeCounts = (a: TypeCounts, b: TypeCounts): TypeCounts => ({
  number: a.number + b.number,
  boolean: a.boolean + b.boolean,
  object: a.object + b.object,
  array: a.array + b.array,
  string: a.string + b.string,
});

function mergeKnown(before: BigUint64Array | null, now: BigUint64Array | null): BigUint64Array | null {
  if (before === null || now === null) return null;
  // The usual case: the batch has no new string.
  if (hasAll(before, now)) return before;
  const hashes = new Set([...before, ...now]);
  if (hashes.size > MAX_ENUM) return null;
  return BigUint64Array.from(hashes).sort();
}

/** Pairwise update of mean and squared deviations (Chan, Golub, LeVeque 1979). */
function mergeMoments(before: Moments | null, now: NumberSummary, count: number): Moments {
  if (before === null) return { weight: count, mean: now.mean, m2: now.m2 };
  const weight = before.weight + count;
  const apart = now.mean - before.mean;
  return {
    weight,
    mean: before.mean + (apart * count) / weight,
    m2: before.m2 + now.m2 + apart * apart * before.weight * (count / weight),
  };
}

const componentOf = ({ points }: NumberSummary, weight: number, batch: number): Component => ({
  points,
  weight,
  batch,
});

/** The record after more batches, in id order. */
export function mergeStates(record: BaselineRecord, states: readonly BatchState[]): BaselineRecord {
  let merged = record;
  for (const state of states) {
    merged = mergeState(merged, state);
  }
  return merged;
}

/** The record as it is stored: with one sketch and one set of quantiles for each field. */
export function fold(record: BaselineRecord): BaselineRecord {
  const fields = new Map<string, FieldRecord>();
  for (const [name, field] of record.fields) {
    fields.set(name, foldField(field, record.batches));
  }
  return { ...record, fields };
}

function foldField(field: FieldRecord, batches: number): FieldRecord {
  if (field.detail === BRIEF) return field;
  return {
    ...field,
    sketches: new Sketches([packRegisters(field.sketches.union())]),
    // A single component is left as it is: compressing adds error.
    components:
      field.components.length < 2 ? field.components : [new Mixture(field.components, batches).compress()],
  };
}

/** A record, and whether it is provisional. */
export interface Settled {
  record: BaselineRecord;
  provisional: boolean;
}

/**
 * Merges a folded record and the states of a tail, in id order; null if there is nothing. A provisional state counts
 * only while there is nothing else, and then only the first one.
 */
export function settle(folded: BaselineRecord | null, states: readonly BatchState[]): Settled | null {
  const firm = states.filter(state => !state.provisional);
  if (folded || firm.length > 0) {
    return { record: mergeStates(folded ?? EMPTY_RECORD, firm), provisional: false };
  }
  const [first] = states;
  return first ? { record: mergeState(EMPTY_RECORD, first), provisional: true } : null;
}

/** By id, in code units: the order in which states are merged. */
export const byId = (a: { id: string }, b: { id: string }): number =>
  a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
