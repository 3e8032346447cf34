/**
 * The answer to a batch and its parts, as schemas. The API document publishes them, and the types of the code are
 * derived from them. Members that hold a value of the payload are optional: a job kept with `STORE_VALUES=false` lacks them.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ROW_REASONS, type Thresholds } from '../terms/policy.ts';
import { VALUE_TYPES } from '../profile/profile.ts';
import { STATISTICS } from '../statistics/registry.ts';
import { type Unit, UNIT_NAMES } from '../statistics/statistic.ts';
import { SEVERITIES, VERDICTS } from '../terms/verdict.ts';
import { anySeverity, ISSUE_SEVERITIES, Issues, onlyTrue, ROWS, rowNumber, SPAN } from './issues.ts';
import { byName, count, dateTime, flag, JOB_ID, SOURCE, share, text, word } from './values.ts';

export type {
  Issues,
  IssueSeverity,
  NullRateDetail,
  LayoutIssue,
  SignIssue,
  OutlierSummary,
  RaggedRows,
  RowNumbers,
  RowNumberSpan,
  RowSeverity,
  RuleViolation,
  TypeMismatchDetail,
} from './issues.ts';

export const DRIFT_KINDS = [
  'field_added',
  'field_removed',
  'type_changed',
  'null_spike',
  'cardinality_change',
  'new_enum_value',
  'row_count_anomaly',
  'empty_string_spike',
] as const;

/** What is wrong with a row. */
export const ROW_CODES = [
  'type_mismatch',
  'ragged',
  'layout',
  'damaged_value',
  'null',
  'empty',
  'new_value',
  'outlier',
  'repeated_value',
  'duplicate_row',
  'unusual_number',
  'unusual_text',
  'rule_violation',
] as const;

/** JSON and NDJSON: the row's index, from 0. CSV: the line on which it begins, from 1, blank and quoted lines counted. */
export const ROW_NUMBERINGS = ['index', 'line'] as const;

const FIELD_TYPES = [...VALUE_TYPES, 'null', 'mixed'] as const;

export const verdict = (description: string) => word(VERDICTS, description);
export const HEALTH = share('Health of the data; 1 is perfect');
export const FIELD_TYPE = word(
  FIELD_TYPES,
  'Dominant type; `null` without any value, `mixed` without a majority',
);

export const SchemaField = Type.Object(
  {
    type: FIELD_TYPE,
    confidence: share(
      'Share of the non-null values that have the dominant type (of `mixed`, the most frequent)',
    ),
  },
  { $id: 'SchemaField' },
);

export const DriftEvent = Type.Object(
  {
    field: text('Name of the field; `*` for the batch as a whole'),
    kind: word(DRIFT_KINDS, 'What has changed'),
    severity: word(SEVERITIES, 'How grave it is'),
    detail: text('For people'),
    previous: Type.Optional(text('What it was in the baseline')),
    current: Type.Optional(text('What it is now')),
  },
  { $id: 'DriftEvent' },
);

const inUnit = (unit: Unit): string => (UNIT_NAMES[unit] ? ` in ${UNIT_NAMES[unit]}` : '');

export const Anomaly = Type.Object(
  {
    field: text('Name of the field; `*` for the batch as a whole'),
    statistic: text(
      `What is unusual: a kind of finding, such as \`repeated_batch\`, or a statistic: ${STATISTICS.map(({ id, label, unit }) => `\`${id}\` (${label}${inUnit(unit)})`).join(', ')}`,
    ),
    observed: Type.Optional(
      Type.Number({ description: 'Its value. Of numbers absent from a kept job where no values are kept' }),
    ),
    expected: Type.Optional(
      Type.Unsafe<[low: number, high: number]>(
        Type.Array(Type.Number(), {
          minItems: 2,
          maxItems: 2,
          description: 'Between these it would not have been reported. Absent as `observed` is',
        }),
      ),
    ),
    unusual: Type.Number({
      description:
        '−log10 of the chance of anything as unusual in a clean batch: 2 is one batch in a hundred',
    }),
    severity: word(SEVERITIES, 'How grave it is; `info` changes no verdict'),
    detail: text('For people'),
    rows: Type.Optional({
      ...ROWS,
      description: `${ROWS.description}. Only where single rows stand out`,
    }),
    span: Type.Optional(SPAN),
  },
  { $id: 'Anomaly' },
);

export const Gate = Type.Object(
  {
    mode: word(['contract', 'adaptive'], 'The mode that judged'),
    history: count('Batches of history, at most 32'),
    learning: flag(
      'Whether there are fewer than 3 of them: then batches may differ by what is assumed of any source',
    ),
    false_alarm_rate: share(
      'Share of clean batches that may be WARN because of their past. For BLOCK, the probability must be below about the square of this share, and the change large',
    ),
    expected_false_alarm_rate: Type.Optional(
      share('Share of clean batches that will be WARN, estimated from the history; absent without one'),
    ),
  },
  { $id: 'Gate', description: 'What the verdict rests on' },
);

export const Quarantine = Type.Object(
  {
    count: count('Rows in it'),
    reasons: Type.Array(
      Type.Object({
        code: word(ROW_CODES, 'What is wrong with these rows'),
        field: text(
          'Name of the field; `*` of ragged and of repeated rows, and of rules about several fields',
        ),
        rule: Type.Optional(text('Of `rule_violation`: the path of the rule')),
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
            maxItems: ROW_REASONS,
            items: { type: 'integer', minimum: 0, description: 'Place in `reasons`' },
          },
        ],
        minItems: 2,
        maxItems: 2,
        // Never applies, but generators need one: many stop at `false`, or at its absence.
        items: {},
      }),
      {
        description: `Each row with its first ${ROW_REASONS} reasons, ascending; without reasons where these were left out`,
      },
    ),
    whole_batch: Type.Array(
      Type.Object({
        code: text(
          "A kind of drift, `null_rates`, an anomaly's statistic, `repeated_batch`, or `anomalies` where there are more than the report lists; of a batch in parts also a code of `reasons`: not all of its rows are named",
        ),
        field: text('Name of the field; `*` where it concerns none'),
        rule: Type.Optional(text('Of `rule_violation`: the path of the rule')),
        severity: word(ISSUE_SEVERITIES, 'How grave it is'),
      }),
      { description: 'Findings that stay whichever rows you hold back' },
    ),
  },
  { $id: 'Quarantine', description: 'The rows to hold back, so that the others may pass' },
);

export const Advice = Type.Object(
  {
    fields: Type.Array(Type.String(), { description: 'Fields that the advice is about, at most 20' }),
    set: Type.Object(
      {
        mode: Type.Optional(word(['adaptive'], 'As in the settings of a source')),
        thresholds: Type.Optional(
          Type.Unsafe<Partial<Thresholds>>(byName(share('A threshold'), 'By its name')),
        ),
      },
      { description: 'Add these to the settings of the source' },
    ),
    detail: text('For people'),
  },
  { $id: 'Advice', description: 'What to set where usual batches cross a threshold of contract mode' },
);

export const BlockedSince = Type.Object(
  {
    job_id: JOB_ID,
    timestamp: dateTime('When the first batch came'),
    batches: count('How many there are with this one'),
    accept: text('What to do if this is the new normal, or if declared rules block it; for people'),
    settles_after: Type.Optional(count('WARN: number of batches after which they are the new normal')),
  },
  {
    $id: 'BlockedSince',
    description:
      'Batches before this one were BLOCKed for the same field, or proposed the same new normal: `job_id` is the first',
  },
);

const leftOut = (list: string) => Type.Optional(count(`Entries missing in \`${list}\``));

export const LeftOut = Type.Object(
  {
    schema: leftOut('schema'),
    issues: leftOut('issues'),
    drift: leftOut('drift'),
    anomalies: leftOut('anomalies'),
    quarantine: leftOut('quarantine.reasons` and `quarantine.whole_batch'),
    untracked_fields: leftOut('stats.untracked_fields'),
  },
  {
    $id: 'LeftOut',
    description:
      'What the report leaves out, so that it has at most 1,536 KiB: the mildest entries of its longest lists, and anomalies beyond the first 50. The verdict, health and reason rest on all of them. Absent where nothing is left out',
  },
);

export const Stats = Type.Object(
  {
    rows_received: count('Rows in the request'),
    rows_sampled: count('Rows whose values were measured'),
    sample_ratio: share('Their share of the rows'),
    sample_version: Type.Optional(text('Name and version of the sampling method')),
    source: SOURCE,
    untracked_fields: Type.Optional(
      Type.Array(Type.String(), {
        description: "Fields for which the source's baseline has no room: they are not compared",
      }),
    ),
    left_out: Type.Optional(LeftOut),
    row_numbers: Type.Optional(
      word(ROW_NUMBERINGS, 'What numbers of rows mean; absent where no row is named'),
    ),
    dry_run: Type.Optional(onlyTrue('The request stored, learned and counted nothing; absent otherwise')),
    pinned: Type.Optional(onlyTrue('The baseline is pinned and learns nothing; absent otherwise')),
    storage_full: Type.Optional(
      onlyTrue(
        'The baseline did not learn the batch: the account keeps all bytes that it may; absent otherwise',
      ),
    ),
  },
  { $id: 'Stats' },
);

export const WindowSoFar = Type.Object(
  {
    batch_id: Type.String({ description: 'Id of its batch', pattern: '^bat_[0-9A-HJKMNP-TV-Z]{26}$' }),
    rows: count('Rows that it has so far, with those of this request'),
    findings: Type.Optional(
      Type.Array(
        Type.Object({
          kind: text('Its kind'),
          field: Type.Optional(text('The field; absent: of the request as a whole')),
          rule: Type.Optional(text('Of `rule_violation`: the path of the rule')),
          severity: word(['warn', 'block'], 'What it makes the verdict of a request'),
          posts: count('Requests that have it'),
        }),
        { description: 'What its requests have so far, the gravest first, at most 50; absent without any' },
      ),
    ),
  },
  {
    $id: 'WindowSoFar',
    description:
      'Of a source with a window: the batch that the rows of this request are part of. It is judged by the past when the window ends',
  },
);

export const Report = Type.Object(
  {
    request_id: JOB_ID,
    batch_id: { ...JOB_ID, description: 'The same as `request_id`' },
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
      Type.Array(Anomaly, {
        description:
          "Statistics that differ from the source's history, and other unusual things such as a repeated batch; the most unusual first. Absent without any",
      }),
    ),
    gate: Type.Optional(Gate),
    quarantine: Type.Optional(Quarantine),
    blocked_since: Type.Optional(BlockedSince),
    advice: Type.Optional(
      Type.Array(Advice, { description: 'Contract mode: absent where there is nothing to say' }),
    ),
    stats: Stats,
    window: Type.Optional(WindowSoFar),
    latency_ms: count('Processing time in milliseconds, without the time that the body took to arrive'),
    timestamp: dateTime('When it was answered'),
  },
  { $id: 'Report' },
);

export type SchemaField = Static<typeof SchemaField>;
export type DriftEvent = Static<typeof DriftEvent>;
export type Anomaly = Static<typeof Anomaly>;
export type Gate = Static<typeof Gate>;
export type Quarantine = Static<typeof Quarantine>;
export type Advice = Static<typeof Advice>;
export type BlockedSince = Static<typeof BlockedSince>;
export type LeftOut = Static<typeof LeftOut>;
export type Report = Static<typeof Report>;
export type WindowSoFar = Static<typeof WindowSoFar>;

export type DriftKind = (typeof DRIFT_KINDS)[number];
export type RowCode = (typeof ROW_CODES)[number];
export type RowNumbering = (typeof ROW_NUMBERINGS)[number];
export type { Severity } from '../terms/verdict.ts';
export type RowReason = Quarantine['reasons'][number];
export type BatchReason = Quarantine['whole_batch'][number];
