/** What a source's past says of how the columns of a CSV body are to be read. */
import type { PastColumn, PastOf, Seen } from '../engine/reading.ts';
import { headerNames } from '../profile/names.ts';
import { VALUE_TYPES } from '../profile/profile.ts';
import { typePlace } from '../statistics/counts.ts';
import { PLACE } from '../statistics/registry.ts';
import type { Baseline, BaselineField } from './baseline.ts';
import { type BatchStatistics, measurementOf } from './batch-statistics.ts';

/** Null without a past that counts: a provisional baseline was made by a BLOCKed batch. */
export function pastColumnsOf(baseline: Baseline | null): PastOf | null {
  if (baseline === null || baseline.provisional) return null;
  return header => headerNames(header).names.map(name => pastColumn(name, baseline));
}

function pastColumn(name: string, { fields, recent }: Baseline): PastColumn | null {
  const field = fields.get(name);
  if (field?.type !== 'string' && field?.type !== 'number') return null;
  const { type } = field;
  return {
    type,
    seen: () => seenIn(recent, name, type),
    mayHoldCodes: () => isNameOfCodes(name) || isOfOneWidth(field) || isOfLongNumbers(field),
  };
}

function seenIn(recent: Baseline['recent'], name: string, type: PastColumn['type']): Seen {
  const seen = { values: 0, odd: 0 };
  for (const batch of recent) {
    const counts = countsIn(batch, name);
    if (counts === null) continue;
    seen.values += counts.values;
    seen.odd += type === 'number' ? counts.values - counts.numbers : counts.likeNumbers;
  }
  return seen;
}

interface Counts {
  values: number;
  numbers: number;
  /** Numbers and booleans, and texts that look like them. */
  likeNumbers: number;
}

/** Null if the batch lacks the field. */
function countsIn(batch: BatchStatistics, name: string): Counts | null {
  const [numbers, booleans, , , strings] = VALUE_TYPES.map((_, type) =>
    measurementOf(batch, name, typePlace(type)),
  ) as [number, number, number, number, number];
  const values = numbers + booleans + strings;
  return values > 0
    ? { values, numbers, likeNumbers: numbers + booleans + typedTextsIn(batch, name, strings) }
    : null;
}

/**
 * Where the texts of a batch were not looked at for that, as those of JSON, at most those with a digit look like numbers. If that is not known either, all may.
 */
function typedTextsIn(batch: BatchStatistics, name: string, strings: number): number {
  const typed = measurementOf(batch, name, PLACE.typed_texts);
  if (strings === 0 || !Number.isNaN(typed)) return strings === 0 ? 0 : typed;
  const share =
    measurementOf(batch, name, PLACE.with_digit) / measurementOf(batch, name, PLACE.inspected_texts);
  return Number.isNaN(share) ? strings : share * strings;
}

/** A hint only: it decides nothing before a code has come. */
const CODE_WORDS =
  /(^|[^a-z])(id|ids|zip|zipcode|plz|postal|postcode|phone|mobile|tel|fax|sku|ean|gtin|upc|isbn|iban|code|codes|ref|account|ssn|fips)([^a-z]|$)/;

const isNameOfCodes = (name: string): boolean =>
  CODE_WORDS.test(name.replaceAll(/([a-z])([A-Z])/g, '$1_$2').toLowerCase());

/** Numbers of two digits are as often amounts. */
const LEAST_WIDTH = 3;

function isOfOneWidth(field: BaselineField): boolean {
  const [low, high] = [field.quantile(0), field.quantile(1)];
  const width = digitsOf(low);
  return Number.isInteger(low) && low > 0 && width >= LEAST_WIDTH && digitsOf(high) === width;
}

const digitsOf = (x: number): number => Math.floor(Math.log10(x)) + 1;

/** Whole numbers of so many digits were read as numbers before, and in JSON they are. */
const isOfLongNumbers = (field: BaselineField): boolean => Math.abs(field.quantile(1)) >= 1e17;
