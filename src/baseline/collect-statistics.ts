/** Collects the measurements of a batch, of each field with the detail that its record keeps. */
import { WIDTH } from '../statistics/registry.ts';
import { type BatchStatistics, numberAt } from './batch-statistics.ts';
import { BRIEF, BRIEF_PLACES, BRIEF_WIDTH, type Detail, FULL, FULL_PLACES } from './detail.ts';
import { type BatchState, type FieldState, isBrief } from './state.ts';
import type { UnknownNumbers } from './unknown-measurements.ts';

/** The detail of a field; undefined for one that is left out. */
type DetailOf = (name: string, field: FieldState) => Detail | undefined;

const asMeasured: DetailOf = (_, field) => (isBrief(field) ? BRIEF : FULL);

/** `last`: the places of the batch before. The batches of a source usually have the same fields, and then share them. */
export function statisticsOf(
  state: BatchState,
  last: ReadonlyMap<string, number> = new Map(),
  detailOf: DetailOf = asMeasured,
): BatchStatistics {
  const { id, at, chunk, accepted, proposed, verdict, health, rows, duplicateRows, unknown } = state;
  const fields: Found[] = [];
  let index = 0;
  for (const [name, field] of state.fields) {
    const detail = detailOf(name, field);
    if (detail !== undefined) fields.push({ name, detail, index });
    index++;
  }
  const states = [...state.fields.values()];
  const marks = { ...(accepted && { accepted }), ...(proposed && { proposed }) };
  const facts = { id, at, chunk, ...marks, verdict, health, rows, duplicateRows };
  const copy: Copy = (from, numbers, start) => numbers.set(states[from]!.numbers, start);
  const read: Read = (from, place) => states[from]!.numbers[place]!;
  return { ...facts, ...collect(fields, last, unknown, copy, read) };
}

/** The batches with the detail that is left of their fields. Batches that share places still do. */
export function reduced(
  recent: readonly BatchStatistics[],
  details: ReadonlyMap<string, { detail: Detail }>,
): BatchStatistics[] {
  let last: ReadonlyMap<string, number> = new Map();
  return recent.map(batch => {
    const fields: Found[] = [];
    for (const [name, index] of batch.places) {
      const detail = details.get(name)?.detail;
      if (detail !== undefined) fields.push({ name, detail: index < 0 ? BRIEF : detail, index });
    }
    const copy: Copy = (from, numbers, start) =>
      numbers.set(batch.numbers.subarray(from * WIDTH, (from + 1) * WIDTH), start);
    const read: Read = (from, place) => numberAt(batch, from, place);
    const { unknown, ...facts } = batch;
    const collected = { ...facts, ...collect(fields, last, unknown, copy, read) };
    last = collected.places;
    return collected;
  });
}

interface Found {
  name: string;
  detail: Detail;
  /** Where its numbers come from. */
  index: number;
}
type Copy = (from: number, numbers: Float32Array, start: number) => void;
type Read = (from: number, place: number) => number;
type Collected = Pick<BatchStatistics, 'places' | 'numbers' | 'brief' | 'unknown'>;

function collect(
  fields: readonly Found[],
  last: ReadonlyMap<string, number>,
  unknown: UnknownNumbers | undefined,
  copy: Copy,
  read: Read,
): Collected {
  const detailed = fields.filter(({ detail }) => detail !== BRIEF);
  const short = detailed.length === fields.length ? [] : fields.filter(({ detail }) => detail === BRIEF);
  const numbers = new Float32Array(detailed.length * WIDTH);
  for (let i = 0; i < detailed.length; i++) {
    const { index, detail } = detailed[i]!;
    copy(index, numbers, i * WIDTH);
    if (detail !== FULL) for (const place of FULL_PLACES) numbers[i * WIDTH + place] = Number.NaN;
  }
  const brief = new Float32Array(short.length * BRIEF_WIDTH);
  for (let i = 0, at = 0; i < short.length; i++)
    for (const place of BRIEF_PLACES) brief[at++] = read(short[i]!.index, place);
  const others = unknown && unknownOf(unknown, detailed);
  return { places: placesOf(detailed, short, last), numbers, brief, ...(others && { unknown: others }) };
}

/** Only full fields have them. */
function unknownOf(
  { measurements, width, numbers }: UnknownNumbers,
  fields: readonly Found[],
): UnknownNumbers {
  const kept = new Float64Array(fields.length * width).fill(Number.NaN);
  for (const [i, { index, detail }] of fields.entries())
    if (detail === FULL) kept.set(numbers.subarray(index * width, (index + 1) * width), i * width);
  return { measurements, width, numbers: kept };
}

/** `last`, if it is the same. */
function placesOf(
  detailed: readonly Found[],
  short: readonly Found[],
  last: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const size = detailed.length + short.length;
  const isSame =
    last.size === size &&
    detailed.every(({ name }, i) => last.get(name) === i) &&
    short.every(({ name }, i) => last.get(name) === -1 - i);
  if (isSame) return last;
  const places = new Map<string, number>();
  for (let i = 0; i < detailed.length; i++) places.set(detailed[i]!.name, i);
  for (let i = 0; i < short.length; i++) places.set(short[i]!.name, -1 - i);
  return places;
}
