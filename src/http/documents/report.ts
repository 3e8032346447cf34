/** The answer to a batch, and its parts. The shapes are those of `response/report.ts` and `judge/report.ts`. */
import { Type } from '@sinclair/typebox';
import { ROW_REASONS, ROWS_LISTED } from '../../judge/policy.ts';
import { DRIFT_KINDS, ROW_CODES, ROW_NUMBERINGS } from '../../judge/report.ts';
import { VALUE_TYPES } from '../../profile/profile.ts';
import { byName, count, dateTime, flag, JOB_ID, SOURCE, share, text, word } from './values.ts';

export const VERDICTS = ['PASS', 'WARN', 'BLOCK'] as const;
const FIELD_TYPES = [...VALUE_TYPES, 'null', 'mixed'] as const;
const SEVERITIES = ['warning', 'critical'] as const;

export const verdict = (description: string) => word(VERDICTS, description);
export const HEALTH = share('Health of the data; 1 is perfect');
export const FIELD_TYPE = word(
  FIELD_TYPES,
  'Dominant type; `null` without any value, `mixed` without a majority',
);

const severity = word(SEVERITIES, '`warning` above the warn threshold, `critical` above the block threshold');
const anySeverity = word(['info', ...SEVERITIES], 'How grave it is');

const rowNumber = Type.Integer({ minimum: 0 });
const ROWS = Type.Array(rowNumber, {
  maxItems: ROWS_LISTED,
  description:
    'The first rows of it: indexes from 0 in JSON and NDJSON, lines of the body from 1 in CSV (see `row_numbers` of the stats)',
});

const SchemaField = Type.Object(
  {
    type: FIELD_TYPE,
    confidence: share(
      'Share of the non-null values that have the dominant type (of `mixed`, the most frequent)',
    ),
  },
  { $id: 'SchemaField' },
);

const TypeMismatchDetail = Type.Object(
  {
    expected: word(VALUE_TYPES, "The baseline's type, or the most frequent one"),
    found: Type.Array(word(VALUE_TYPES, 'A type'), { description: 'Other types that were found' }),
    sample_value: Type.Optional(
      Type.Unknown({
        description:
          'One value of another type. Absent from a kept job where no values are kept (`STORE_VALUES=false`)',
      }),
    ),
    rate: share('Share of the non-null values'),
    severity,
    rows: Type.Optional(ROWS),
  },
  { $id: 'TypeMismatchDetail' },
);

const NullRateDetail = Type.Object(
  {
    actual: share('Share of the rows without a value'),
    threshold: share('The threshold that was crossed'),
    severity,
    rows: Type.Optional({
      ...ROWS,
      description: `${ROWS.description}. Only where the field normally has a value`,
    }),
  },
  { $id: 'NullRateDetail' },
);

const OutlierSummary = Type.Object(
  {
    count: count('Values outside the outer Tukey fences'),
    min: Type.Optional(
      Type.Number({ description: 'The smallest of them. Absent from a kept job where no values are kept' }),
    ),
    max: Type.Optional(
      Type.Number({ description: 'The largest of them. Absent from a kept job where no values are kept' }),
    ),
    severity: anySeverity,
    rows: Type.Optional(ROWS),
  },
  { $id: 'OutlierSummary' },
);

const RaggedRows = Type.Object(
  {
    count: count('CSV records whose cell count is not that of the header'),
    rate: share('Share of the rows'),
    first_line: Type.Integer({ minimum: 1, description: 'Line of the first one, from 1' }),
    severity: anySeverity,
    rows: Type.Optional(ROWS),
  },
  { $id: 'RaggedRows' },
);

const Issues = Type.Object(
  {
    type_mismatches: Type.Optional(byName(TypeMismatchDetail, 'Fields with values of unexpected type')),
    null_rates: Type.Optional(byName(NullRateDetail, 'Fields with a high null rate')),
    outliers: Type.Optional(byName(OutlierSummary, 'Number fields with outliers')),
    duplicate_fields: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Names that are repeated, or differ only in case, spaces, `_` or `-`',
      }),
    ),
    row_count_anomaly: Type.Optional(flag('Whether the row count is anomalous; absent when it is not')),
    new_enum_values: Type.Optional(
      byName(
        Type.Array(Type.String()),
        'New values of fields that had few, at most 20 a field, cut at 64 characters',
      ),
    ),
    new_enum_value_rows: Type.Optional(byName(ROWS, 'By the same fields')),
    ragged_rows: Type.Optional(RaggedRows),
  },
  { $id: 'Issues', description: 'Only what there is to report' },
);

export const DriftEvent = Type.Object(
  {
    field: text('Name of the field; `*` for the batch as a whole'),
    kind: word(DRIFT_KINDS, 'What has changed'),
    severity: word(['info', 'warn', 'block'], 'How grave it is'),
    detail: text('For people'),
    previous: Type.Optional(text('What it was in the baseline')),
    current: Type.Optional(text('What it is now')),
  },
  { $id: 'DriftEvent' },
);

const AnomalyDocument = Type.Object(
  {
    field: text('Name of the field; `*` for the batch as a whole'),
    statistic: text(
      'What is unusual: `null_rate`, `median`, `padded_share`, `row_count`, `repeated_batch` and others',
    ),
    observed: Type.Optional(
      Type.Number({ description: 'Its value. Of numbers absent from a kept job where no values are kept' }),
    ),
    expected: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 2,
        maxItems: 2,
        description: 'Between these it would not have been reported. Absent as `observed` is',
      }),
    ),
    unusual: Type.Number({
      description:
        '−log10 of the chance of anything as unusual in a clean batch: 2 is one batch in a hundred',
    }),
    severity: word(['info', 'warn', 'block'], 'How grave it is; `info` changes no verdict'),
    detail: text('For people'),
    rows: Type.Optional({
      ...ROWS,
      description: `${ROWS.description}. Only where single rows stand out`,
    }),
  },
  { $id: 'Anomaly' },
);

const GateDocument = Type.Object(
  {
    mode: word(['adaptive'], 'The mode that judged'),
    history: count('Batches of history, at most 32'),
    learning: flag('Whether there are too few of them: then types and presence alone are judged'),
    false_alarm_rate: share('Share of clean batches that may be WARN; a tenth of it may be BLOCK'),
    expected_false_alarm_rate: Type.Optional(share('The same as the history lets expect')),
  },
  { $id: 'Gate', description: 'Adaptive mode: what the verdict rests on' },
);

const QuarantineDocument = Type.Object(
  {
    count: count('Rows in it'),
    reasons: Type.Array(
      Type.Object({
        code: word(ROW_CODES, 'What is wrong with these rows'),
        field: text('Name of the field; `*` of ragged rows'),
        severity: anySeverity,
        count: count('Rows that have it'),
      }),
      { description: 'The gravest first' },
    ),
    rows: Type.Array(
      Type.Unsafe<[number, number[]]>({
        type: 'array',
        prefixItems: [
          { ...rowNumber, description: 'Number of the row' },
          {
            type: 'array',
            minItems: 1,
            maxItems: ROW_REASONS,
            items: { type: 'integer', minimum: 0, description: 'Place in `reasons`' },
          },
        ],
        minItems: 2,
        maxItems: 2,
        items: false,
      }),
      { description: `Each row with its first ${ROW_REASONS} reasons, ascending` },
    ),
    whole_batch: Type.Array(
      Type.Object({
        code: text("A kind of drift, `null_rates`, or an anomaly's statistic"),
        field: text('Name of the field; `*` where it concerns none'),
        severity: word(SEVERITIES, 'How grave it is'),
      }),
      { description: 'Findings that no choice of rows does away with' },
    ),
  },
  { $id: 'Quarantine', description: 'The rows to hold back, so that the others may pass' },
);

export const AdviceDocument = Type.Object(
  {
    fields: Type.Array(Type.String(), { description: 'Fields for which it is said, at most 20' }),
    set: Type.Object(
      {
        mode: Type.Optional(word(['adaptive'], 'As in the settings of a source')),
        thresholds: Type.Optional(byName(share('A threshold'), 'By its name')),
      },
      { description: 'To be set for the source, beside what is set' },
    ),
    detail: text('For people'),
  },
  { $id: 'Advice', description: 'What to set where usual batches cross a threshold of contract mode' },
);

const BlockedSince = Type.Object(
  {
    job_id: JOB_ID,
    timestamp: dateTime('When the first batch came'),
    batches: count('How many there are with this one'),
    accept: text('What to do if this is the new normal; for people'),
  },
  {
    $id: 'BlockedSince',
    description: 'Batches before this one were BLOCKed for the same field: `job_id` is the first',
  },
);

const Stats = Type.Object(
  {
    rows_received: count('Rows in the request'),
    rows_sampled: count('Rows whose values were measured'),
    sample_ratio: share('Their share of the rows'),
    sample_version: Type.Optional(text('Name and version of the sampling method')),
    source: SOURCE,
    untracked_fields: Type.Optional(
      Type.Array(Type.String(), { description: "Fields for which the source's baseline has no room" }),
    ),
    row_numbers: Type.Optional(
      word(ROW_NUMBERINGS, 'What numbers of rows mean; absent where no row is named'),
    ),
    dry_run: Type.Optional(flag('Nothing was learnt, kept or counted; absent otherwise')),
    pinned: Type.Optional(flag('The baseline is pinned and learns nothing; absent otherwise')),
  },
  { $id: 'Stats' },
);

export const Report = Type.Object(
  {
    request_id: JOB_ID,
    status: verdict('The verdict'),
    health_score: HEALTH,
    decision: Type.Object({
      action: verdict('The same as `status`'),
      reason: text('The causes, worst first, for people'),
    }),
    schema: byName(SchemaField, 'By name of the field'),
    schema_fingerprint: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 of the names and types, whatever their order',
    }),
    issues: Type.Optional(Issues),
    drift: Type.Optional(
      Type.Array(DriftEvent, { description: 'What differs from the baseline; absent when nothing does' }),
    ),
    anomalies: Type.Optional(
      Type.Array(AnomalyDocument, {
        description:
          'What is not as the past lets expect, the most unusual first; in contract mode only a batch that repeats an earlier one. Absent without any',
      }),
    ),
    gate: Type.Optional(GateDocument),
    quarantine: Type.Optional(QuarantineDocument),
    blocked_since: Type.Optional(BlockedSince),
    advice: Type.Optional(
      Type.Array(AdviceDocument, { description: 'Contract mode: absent where there is nothing to say' }),
    ),
    stats: Stats,
    latency_ms: count('Processing time in milliseconds, without the time that the body took to arrive'),
    timestamp: dateTime('When it was answered'),
  },
  { $id: 'Report' },
);

/** The answer to the two rows of the README's first example. */
export const BLOCKED = {
  request_id: 'req_01M7Z0BX0D32GJW6HVAF04EKQ6',
  status: 'BLOCK',
  health_score: 0.2813,
  decision: {
    action: 'BLOCK',
    reason: "Type mismatch in 'amount' (50% not number); High null rate in 'email' (50%)",
  },
  schema: {
    order_id: { type: 'string', confidence: 1 },
    amount: { type: 'mixed', confidence: 0.5 },
    email: { type: 'string', confidence: 1 },
  },
  schema_fingerprint: 'e377be42d664078b41f4c7b40df02d6cf25a04bdce5b8fde8dccf06964b46f1f',
  issues: {
    type_mismatches: {
      amount: {
        expected: 'number',
        found: ['string'],
        sample_value: 'broken',
        rate: 0.5,
        severity: 'critical',
        rows: [1],
      },
    },
    null_rates: { email: { actual: 0.5, severity: 'warning', threshold: 0.3 } },
  },
  stats: {
    rows_received: 2,
    rows_sampled: 2,
    sample_ratio: 1,
    sample_version: 'stratified-1',
    source: 'orders',
    row_numbers: 'index',
  },
  latency_ms: 2,
  timestamp: '2026-11-21T12:12:45.455Z',
};

/** A later batch of a source with a baseline. */
export const DRIFTED = {
  request_id: 'req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A',
  status: 'WARN',
  health_score: 0.8,
  decision: { action: 'WARN', reason: "New field 'coupon' (string)" },
  schema: {
    order_id: { type: 'string', confidence: 1 },
    coupon: { type: 'string', confidence: 1 },
  },
  schema_fingerprint: '4bd0a02e716db786f7e0ac25b37151a87f5663dc5fbb39cb0892fafa6ef9b0ee',
  drift: [
    {
      field: 'coupon',
      kind: 'field_added',
      severity: 'warn',
      detail: "New field 'coupon' (string)",
      previous: 'absent',
      current: 'string',
    },
  ],
  stats: {
    rows_received: 1200,
    rows_sampled: 1000,
    sample_ratio: 0.8333333333333334,
    sample_version: 'stratified-1',
    source: 'orders',
  },
  latency_ms: 4,
  timestamp: '2026-11-21T15:38:07.472Z',
};
