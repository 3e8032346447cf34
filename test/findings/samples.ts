/** A finding of every kind. Each member that may hold a value of the payload holds a planted one. */
import type { Finding, FindingKind } from '../../src/findings/kinds.ts';

export const PLANTED_TEXT = 'planted-value';
/** Figures of values lie near it, and nothing else does. */
export const PLANTED_NUMBER = 4_287_123;

const LIMITS = { warn: 0.05, block: 0.2 };
const FIELD = { field: 'price', scope: 'field' } as const;
const BATCH = { field: null, scope: 'batch' } as const;

/** The compiler asks for a sample of a new kind. */
export const SAMPLES: { [Kind in FindingKind]: Extract<Finding, { kind: Kind }> } = {
  rule_violation: {
    ...FIELD,
    kind: 'rule_violation',
    list: 'declared',
    severity: 'block',
    evidence: {
      rule: 'fields.price.enum',
      check: 'enum',
      count: 3,
      rate: 0.1,
      failing: Uint16Array.of(1, 2, 3),
      description: 'See the handbook',
      values: { sample: PLANTED_TEXT, expected: [PLANTED_TEXT] },
    },
  },
  unchecked_rules: {
    ...FIELD,
    kind: 'unchecked_rules',
    list: 'declared',
    severity: 'warn',
    evidence: { rules: ['fields.price.minimum'], count: 1, meant: 'prices' },
  },
  null_rate: {
    ...FIELD,
    kind: 'null_rate',
    list: 'thresholds',
    severity: 'block',
    evidence: { rate: 0.5, limits: LIMITS, wasNeverNull: true },
  },
  type_mismatch: {
    ...FIELD,
    kind: 'type_mismatch',
    list: 'thresholds',
    severity: 'block',
    evidence: {
      expected: 'number',
      found: ['string'],
      rate: 0.5,
      limits: LIMITS,
      values: { example: PLANTED_TEXT },
    },
  },
  ragged_rows: {
    ...BATCH,
    kind: 'ragged_rows',
    list: 'thresholds',
    severity: 'warn',
    evidence: { count: 3, rate: 0.1, firstLine: 7, endsEarly: true, limits: LIMITS },
  },
  layout: {
    ...BATCH,
    kind: 'layout',
    list: 'structure',
    severity: 'warn',
    evidence: { sign: 'header_repeated', count: 2, lines: [52, 103], rowIndexes: [50, 101] },
  },
  signs: {
    ...FIELD,
    kind: 'signs',
    list: 'structure',
    severity: 'warn',
    evidence: {
      sign: 'mojibake',
      count: 2,
      rate: 0.02,
      mark: 'mojibake',
      values: { samples: [PLANTED_TEXT] },
    },
  },
  outliers: {
    ...FIELD,
    kind: 'outliers',
    list: 'thresholds',
    severity: 'info',
    evidence: {
      count: 2,
      share: 0.02,
      values: {
        range: { min: -PLANTED_NUMBER, max: PLANTED_NUMBER },
        fences: { low: -PLANTED_NUMBER, high: PLANTED_NUMBER },
      },
    },
  },
  duplicate_fields: {
    ...BATCH,
    kind: 'duplicate_fields',
    list: 'structure',
    severity: 'info',
    evidence: { names: ['a', 'A'] },
  },
  field_added: {
    ...FIELD,
    kind: 'field_added',
    list: 'structure',
    severity: 'warn',
    evidence: { type: 'number' },
  },
  field_removed: {
    ...FIELD,
    kind: 'field_removed',
    list: 'structure',
    severity: 'block',
    evidence: { type: 'number', presence: 1 },
  },
  type_changed: {
    ...FIELD,
    kind: 'type_changed',
    list: 'structure',
    severity: 'block',
    evidence: { previous: 'number', current: 'string' },
  },
  new_enum_value: {
    ...FIELD,
    kind: 'new_enum_value',
    list: 'thresholds',
    severity: 'warn',
    evidence: { rate: 0.1, known: 3, values: { listed: [PLANTED_TEXT, `${PLANTED_TEXT}: (x) of rows`] } },
  },
  unusual_statistic: {
    ...FIELD,
    kind: 'unusual_statistic',
    list: 'learned',
    severity: 'block',
    evidence: {
      statistic: 'mean',
      direction: 'up',
      unusual: 40,
      lines: { warn: 2, block: 5 },
      isConsequence: false,
      outliers: 12,
      otherTypes: { expected: 'number', found: ['string'], rate: 0.6 },
      newValues: { rate: 0.1, known: 3 },
      values: {
        figures: {
          observed: PLANTED_NUMBER,
          usual: PLANTED_NUMBER + 1,
          expected: [PLANTED_NUMBER, PLANTED_NUMBER + 2],
          usualRange: [PLANTED_NUMBER, PLANTED_NUMBER + 2],
        },
        range: { min: -PLANTED_NUMBER, max: PLANTED_NUMBER },
        example: PLANTED_TEXT,
        listed: [PLANTED_TEXT],
      },
    },
  },
  repeated_batch: {
    ...BATCH,
    kind: 'repeated_batch',
    list: 'structure',
    severity: 'warn',
    evidence: { id: 'req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A', rows: 100 },
  },
  repeated_column: {
    ...FIELD,
    kind: 'repeated_column',
    list: 'structure',
    severity: 'warn',
    evidence: { id: 'req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A' },
  },
};
