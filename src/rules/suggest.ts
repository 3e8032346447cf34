/**
 * Suggests rules from what batches looked like, with the evidence for each, as Deequ's constraint suggestion does (Schelter et al.,
 * "Automating large-scale data quality verification", 2018). It suggests what held in all of them, and only where there was enough to
 * see: a range only at a bound that many quantities have, an enumeration only of few values that come again and again.
 */
import { MAX_INSPECTED } from '../../assembly/abi.ts';
import type { FieldDescription } from '../profile/describe.ts';
import { valuesIn } from '../profile/field-type.ts';
import { VALUE_TYPES, type ValueType } from '../profile/profile.ts';
import { figure, percent, plural } from '../terms/wording.ts';
import type { RulesDocument } from './declared/document.ts';
import { FORMAT_PATTERNS } from './declared/formats.ts';
import { parseRules } from './declared/parse.ts';
import { pathTo } from './declared/reader.ts';
import { hasWholeNumbers } from './whole-numbers.ts';

/** One batch, as a job keeps its profile. */
export interface SeenBatch {
  rows: number;
  /** When it arrived, in ms; absent for a file, which may be of any age. */
  at?: number;
  fields: Readonly<Record<string, FieldDescription>>;
}

export interface Evidence {
  /** Path of the rule, and the names in it. */
  rule: string;
  field: string;
  constraint: string;
  reason: string;
  /** What it rests on. */
  batches: number;
  rows: number;
}

export interface Suggested {
  rules: RulesDocument;
  evidence: Evidence[];
  /** Suggestions that are left out; absent: none. */
  left_out?: number;
}

/** What rests on fewer rows is chance. */
export const MIN_ROWS = 50;
/** Values of an enumeration: a profile has the ten most frequent ones. */
const MAX_VALUES = 10;
/** How often each of them occurs at least, on average. */
const MIN_OCCURRENCES = 10;
/** A longer value is cut in a profile. */
const CUT_AT = 64;
/** A field that is mostly empty needs no bound. */
const MAX_NULL_RATE = 0.5;
/** 95% of a normal distribution lie within so many standard deviations. */
const DEVIATIONS = 1.96;
export const MAX_SUGGESTIONS = 300;

interface Suggestion {
  kind: string;
  value: unknown;
  reason: string;
}

/** One field in all batches. */
interface Seen {
  /** When each batch arrived. */
  arrivals: readonly (number | undefined)[];
  batches: readonly FieldDescription[];
  rows: number;
  values: number;
  /** Of all rows, not of a sample. */
  areAllMeasured: boolean;
  /** Whether a row breaks what was suggested as this constraint. */
  isRefuted(kind: string): boolean;
}

/** `known`: paths of rules that there are already. `refuted`: paths of those that were suggested of a part of the batches, and that a row breaks. */
export function suggestRules(
  batches: readonly SeenBatch[],
  known: ReadonlySet<string> = new Set(),
  refuted: ReadonlySet<string> = new Set(),
): Suggested {
  const fields = new Map<string, Record<string, unknown>>();
  const evidence: Evidence[] = [];
  let leftOut = 0;
  for (const name of namesIn(batches)) {
    const seen = seenOf(batches, name, refuted);
    if (seen === null || seen.rows < MIN_ROWS) continue;
    for (const { kind, value, reason } of suggestionsFor(seen)) {
      const rule = pathTo(pathTo('fields', name), kind);
      if (known.has(rule) || !isRule({ [name]: { [kind]: value } })) continue;
      if (evidence.length >= MAX_SUGGESTIONS) leftOut++;
      else {
        const field = fields.get(name) ?? {};
        fields.set(name, Object.assign(field, { [kind]: value }));
        evidence.push({
          rule,
          field: name,
          constraint: kind,
          reason,
          batches: seen.batches.length,
          rows: seen.rows,
        });
      }
    }
  }
  const rules = fields.size === 0 ? {} : { fields: Object.fromEntries(fields) };
  return { rules, evidence, ...(leftOut > 0 && { left_out: leftOut }) };
}

const namesIn = (batches: readonly SeenBatch[]): string[] => [
  ...new Set(batches.flatMap(({ fields }) => Object.keys(fields))),
];

/** Null for a field that a batch lacks. */
function seenOf(batches: readonly SeenBatch[], name: string, refuted: ReadonlySet<string>): Seen | null {
  const found = batches.map(({ fields }) => (Object.hasOwn(fields, name) ? fields[name]! : null));
  if (found.includes(null)) return null;
  const present = found as FieldDescription[];
  const rows = batches.reduce((sum, batch) => sum + batch.rows, 0);
  const arrivals = batches.map(({ at }) => at);
  const values = sumOf(present, field => field.values);
  return {
    arrivals,
    batches: present,
    rows,
    values,
    areAllMeasured: values === countOf(present),
    isRefuted: kind => refuted.has(pathTo(pathTo('fields', name), kind)),
  };
}

const sumOf = (batches: readonly FieldDescription[], of: (field: FieldDescription) => number): number =>
  batches.reduce((sum, field) => sum + of(field), 0);

/** Nulls and types are known of all rows, and the newest date of them is no older than that of a sample. What else is said of a sample may be wrong of another row. */
const OF_COUNTS = [nulls, type, age];
const OF_VALUES = [unique, values, email, dates, lowest, share];

const suggestionsFor = (seen: Seen): Suggestion[] =>
  [...OF_COUNTS, ...(seen.areAllMeasured ? OF_VALUES : [])]
    .flatMap(suggest => suggest(seen) ?? [])
    .filter(({ kind }) => kind === 'type' || !seen.isRefuted(kind));

/** Completeness: never a null, or a bound on their share by the interval that the batches leave. */
function nulls({ batches, rows }: Seen): Suggestion | null {
  const count = sumOf(batches, field => field.nulls);
  if (count === 0)
    return { kind: 'nullable', value: false, reason: `None of ${plural(rows, 'row')} is without a value` };
  const highest = Math.max(...batches.map(({ null_rate }) => null_rate));
  const bound = highest + DEVIATIONS * Math.sqrt((highest * (1 - highest) * batches.length) / rows);
  if (bound > MAX_NULL_RATE) return null;
  const value = Math.ceil(bound * 100) / 100;
  return {
    kind: 'max_null_rate',
    value,
    reason: `${percent(count / rows)} of ${plural(rows, 'row')} have no value, at most ${percent(highest)} of a batch`,
  };
}

const typeOf = ({ batches }: Seen): ValueType | null => {
  const types = VALUE_TYPES.filter(each => sumOf(batches, field => field.types[each]) > 0);
  return types.length === 1 ? types[0]! : null;
};

function type(seen: Seen): Suggestion | null {
  const found = typeOf(seen);
  if (found === null || seen.values < MIN_ROWS) return null;
  // Whether all values have one type is known; whether all numbers are whole is not.
  const value = found === 'number' && areWhole(seen) && !seen.isRefuted('type') ? 'integer' : found;
  const reason =
    value === 'integer'
      ? `Each of ${plural(inspectedIn(seen), 'inspected value')} is a whole number`
      : `Each of ${plural(countOf(seen.batches), 'value')} is of type ${value}`;
  return { kind: 'type', value, reason };
}

/** How many values tell how texts are written, and whether numbers are whole. */
const inspectedIn = ({ batches }: Seen): number =>
  sumOf(batches, field => Math.min(field.values, MAX_INSPECTED));

const countOf = (batches: readonly FieldDescription[]): number =>
  sumOf(batches, ({ types }) => valuesIn(types));

/** `1e999` is a number, and infinite. */
const areFinite = ({ batches }: Seen): boolean =>
  batches.every(({ numbers, types }) => numbers?.count === types.number);

const areWhole = (seen: Seen): boolean =>
  seen.areAllMeasured && areFinite(seen) && seen.batches.every(hasWholeNumbers);

/** Texts and whole numbers that never repeat within a batch. Moments that differ today may fall together tomorrow. */
function unique(seen: Seen): Suggestion | null {
  const found = typeOf(seen);
  const canBe = found === 'string' || (found === 'number' && areWhole(seen));
  const isUnique = seen.batches.every(({ values: all, distinct }) => all >= MIN_ROWS && distinct === all);
  if (!canBe || !isUnique || areDates(seen)) return null;
  return {
    kind: 'unique',
    value: true,
    reason: `No value repeats within a batch: ${plural(seen.values, 'value')} measured`,
  };
}

const areDates = ({ batches }: Seen): boolean => batches.some(batch => batch.dates);

/** Few texts that come again and again. A new one may be right, so it is a warning. Tomorrow's date is always new. */
function values(seen: Seen): Suggestion | null {
  if (typeOf(seen) !== 'string' || areDates(seen)) return null;
  const found = new Set<string>();
  for (const { top_values, distinct } of seen.batches) {
    if (!top_values || top_values.length !== distinct) return null;
    for (const { value } of top_values) found.add(value);
  }
  // A profile has a replacement character in place of half a character.
  const isOther = [...found].some(value => [...value].length >= CUT_AT || value.includes('\ufffd'));
  if (isOther || found.size > MAX_VALUES || seen.values < MIN_OCCURRENCES * found.size) return null;
  return {
    kind: 'enum',
    value: { value: [...found].sort(), severity: 'warn' },
    reason: `Only ${plural(found.size, 'text')} in ${plural(seen.values, 'measured value')}`,
  };
}

/** What looks like an address may have letters beyond ASCII, which the format does not allow. */
function email(seen: Seen): Suggestion | null {
  const format = new RegExp(FORMAT_PATTERNS.email!);
  const areAll = seen.batches.every(
    ({ statistics, top_values = [] }) =>
      statistics?.email_share === 1 &&
      statistics.non_ascii_share === 0 &&
      top_values.every(({ value }) => format.test(value)),
  );
  if (!areAll || typeOf(seen) !== 'string' || seen.values < MIN_ROWS) return null;
  return {
    kind: 'format',
    value: 'email',
    reason: `Each of ${plural(inspectedIn(seen), 'inspected value')} looks like an e-mail address`,
  };
}

/** Notations of `describe-dates.ts` that are a format of rules. */
const DATE_FORMATS: Readonly<Record<string, string>> = {
  'YYYY-MM-DD': 'date',
  ...Object.fromEntries(
    ['', 'Z', '+00:00'].flatMap(zone =>
      ['T', ' '].map(join => [`YYYY-MM-DD${join}HH:mm:ss${zone}`, 'date-time'] as const),
    ),
  ),
};

/** Texts that are dates in one notation. */
function dates(seen: Seen): Suggestion | null {
  const [first, ...others] = seen.batches.map(batch => batch.dates);
  const isAlike = [first, ...others].every(
    each => each?.share === 1 && each.formats === 1 && each.format === first!.format,
  );
  const value = isAlike ? DATE_FORMATS[first!.format] : undefined;
  if (value === undefined || typeOf(seen) !== 'string' || seen.values < MIN_ROWS) return null;
  return {
    kind: 'format',
    value,
    reason: `Each of ${plural(inspectedIn(seen), 'inspected value')} is written as ${first!.format}`,
  };
}

const MIN_ARRIVALS = 3;
const HOUR_MS = 3_600_000;
/** In hours, with their ISO 8601 durations. */
const AGES = [
  [1, 'PT1H'],
  [6, 'PT6H'],
  [24, 'P1D'],
  [48, 'P2D'],
  [168, 'P7D'],
] as const;

/** Dates that move on with the batches, and are young when they arrive. At least twice the highest age is allowed, and an older one is a warning. */
function age({ arrivals, batches }: Seen): Suggestion | null {
  const latest = batches.map(batch => Date.parse(batch.dates?.latest ?? ''));
  const order = latest
    .keys()
    .toArray()
    .sort((a, b) => (arrivals[a] ?? NaN) - (arrivals[b] ?? NaN));
  const movesOn = order.every((i, at) => at === 0 || latest[i]! > latest[order[at - 1]!]!);
  // A zone that is not written may make a date younger than the batch.
  const highest = Math.max(0, ...latest.map((each, i) => (arrivals[i] ?? NaN) - each)) / HOUR_MS;
  const bound = AGES.find(([hours]) => hours >= 2 * highest);
  if (batches.length < MIN_ARRIVALS || !movesOn || bound === undefined) return null;
  return {
    kind: 'max_age',
    value: { value: bound[1], severity: 'warn' },
    reason: `The newest date was at most ${figure(highest)} hours old when its batch arrived, in ${plural(batches.length, 'batch', 'batches')}`,
  };
}

const lowestOf = ({ batches }: Seen): number =>
  Math.min(...batches.map(({ numbers }) => numbers?.min ?? Number.NaN));
const highestOf = ({ batches }: Seen): number =>
  Math.max(...batches.map(({ numbers }) => numbers?.max ?? Number.NaN));

/** Quantities and amounts are not below zero. Any other bound would be the next batch's false alarm. */
function lowest(seen: Seen): Suggestion | null {
  const min = lowestOf(seen);
  if (typeOf(seen) !== 'number' || seen.values < MIN_ROWS || !(min >= 0) || !areFinite(seen)) return null;
  return {
    kind: 'minimum',
    value: 0,
    reason: `The smallest of ${plural(seen.values, 'measured number')} is ${figure(min)}`,
  };
}

/** Shares. */
function share(seen: Seen): Suggestion | null {
  const [min, max] = [lowestOf(seen), highestOf(seen)];
  const isShare = min >= 0 && max <= 1 && max > 0.5 && !areWhole(seen) && areFinite(seen);
  if (typeOf(seen) !== 'number' || seen.values < MIN_ROWS || !isShare) return null;
  return {
    kind: 'maximum',
    value: 1,
    reason: `All of ${plural(seen.values, 'measured number')} are from 0 to 1`,
  };
}

/** Names and values of the rows may be longer than a rule may have. */
function isRule(fields: object): boolean {
  try {
    parseRules({ fields });
    return true;
  } catch {
    return false;
  }
}
