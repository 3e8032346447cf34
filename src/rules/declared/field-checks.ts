/** How each constraint of a field is read. */
import type { Check } from './constraint.ts';
import type { FieldConstraint } from './document.ts';
import { durationMs } from './duration.ts';
import { MAX_AGE_MS, MAX_ENUM_VALUES, MAX_TYPES } from './limits.ts';
import { pattern } from './pattern.ts';
import * as read from './reader.ts';
import { refuse } from './reader.ts';
import { DIRECTIONS, FORMATS, TYPES } from './words.ts';

/** The check that a value asks for; null where it asks for none. */
export type Read = (path: string, value: unknown, field: string | null) => Check | null;

interface FieldCheck {
  check: Read;
  /** No single row fails it, so none may be tolerated. */
  ofBatch?: true;
}

type Bound = Extract<Check, { expected: number }>['kind'];

const bound = (kind: Bound, reader: (path: string, value: unknown) => number): FieldCheck => ({
  check: (path, value) => ({ kind, expected: reader(path, value) }),
});

function types(path: string, value: unknown) {
  if (!Array.isArray(value)) return [read.word(path, value, TYPES)];
  return read.list(path, value, 1, MAX_TYPES).map((each, i) => read.word(`${path}[${i}]`, each, TYPES));
}

function maxAge(path: string, value: unknown): Check {
  const expected = read.text(path, value);
  const ageMs = durationMs(expected);
  if (ageMs === null || ageMs > MAX_AGE_MS)
    return refuse(path, 'must be an ISO 8601 duration of at most 100 years, such as PT24H or P7D');
  return { kind: 'max_age', expected, ageMs };
}

export const FIELD_CHECKS: Record<FieldConstraint, FieldCheck> = {
  required: {
    ofBatch: true,
    check: (path, value) => (read.boolean(path, value) ? { kind: 'required', expected: true } : null),
  },
  nullable: {
    check: (path, value) => (read.boolean(path, value) ? null : { kind: 'nullable', expected: false }),
  },
  max_null_rate: { ...bound('max_null_rate', read.share), ofBatch: true },
  type: { check: (path, value) => ({ kind: 'type', expected: types(path, value) }) },
  unique: {
    check: (path, value, field) =>
      read.boolean(path, value) ? { kind: 'unique', expected: true, fields: [field!] } : null,
  },
  minimum: bound('minimum', read.number),
  maximum: bound('maximum', read.number),
  exclusive_minimum: bound('exclusive_minimum', read.number),
  exclusive_maximum: bound('exclusive_maximum', read.number),
  multiple_of: bound('multiple_of', read.positive),
  enum: {
    check: (path, value) => ({ kind: 'enum', expected: read.scalars(path, value, MAX_ENUM_VALUES) }),
  },
  pattern: { check: (path, value) => ({ kind: 'pattern', expected: pattern(path, value) }) },
  min_length: bound('min_length', read.count),
  max_length: bound('max_length', read.count),
  format: { check: (path, value) => ({ kind: 'format', expected: read.word(path, value, FORMATS) }) },
  max_age: { ofBatch: true, check: maxAge },
  monotonic: {
    check: (path, value) => ({ kind: 'monotonic', expected: read.word(path, value, DIRECTIONS) }),
  },
};
