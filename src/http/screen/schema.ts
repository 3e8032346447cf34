/** The request of POST /v1/screen, and the headers of its answer. Rows are not checked by it: that would take longer than everything else. */
import { type TSchema, Type } from '@sinclair/typebox';
import { MAX_ROWS } from '../../../assembly/abi.ts';
import { ASKED_MODES, MAX_INTEGER, MODES } from '../../options/options.ts';
import {
  FALSE_ALARM_RATE,
  MIN_FALSE_ALARM_RATE,
  MAX_FALSE_ALARM_RATE,
  THRESHOLDS,
  type Thresholds,
} from '../../terms/policy.ts';
import { DELIMITER_NAMES } from '../../intake/delimiters.ts';
import { MAX_HEADER_LINE } from '../../intake/headers.ts';
import { RulesDocument } from '../../rules/declared/document.ts';
import { STAGES } from '../../screen/stages.ts';
import { FIELD_SIGN_NAMES } from '../../signs/sign.ts';
import { type Header, json, media, type Parameter } from '../documents/operation.ts';
import { QUOTA_HEADERS, ROWS_HEADERS } from '../documents/refusals.ts';
import { HEALTH, verdict } from '../../report-schema/report.ts';
import { flag, integer, share, SOURCE, word } from '../../report-schema/values.ts';

/** The default is in words: a given one overrides the settings of the source, an absent threshold does not. */
const threshold = (name: keyof Thresholds, description: string) =>
  Type.Optional(share(`${description}. Absent: the setting of the source, else ${THRESHOLDS[name]}`));

const ThresholdOverrides = Type.Object(
  {
    null_rate_warn: threshold(
      'null_rate_warn',
      'A field with a greater share of rows without a value is a WARN',
    ),
    null_rate_block: threshold('null_rate_block', 'The same for BLOCK'),
    type_mismatch_warn: threshold(
      'type_mismatch_warn',
      'A field with a greater share of values of another type is a WARN',
    ),
    type_mismatch_block: threshold('type_mismatch_block', 'The same for BLOCK'),
    health_warn: threshold('health_warn', 'Health below which the verdict is WARN'),
    health_block: threshold('health_block', 'Health below which the verdict is BLOCK'),
  },
  {
    $id: 'Thresholds',
    unevaluatedProperties: false,
    description: 'If a value contradicts the default of its partner, the partner takes this value',
  },
);

export const Options = Type.Object(
  {
    full_scan: Type.Optional(flag('Measure the values of all rows instead of a sample. Absent: false')),
    row_verdicts: Type.Optional(
      flag('Return every row to hold back in `quarantine`; implies a full scan. Absent: false'),
    ),
    thresholds: Type.Optional(ThresholdOverrides),
    rules: Type.Optional(RulesDocument),
    signs: Type.Optional(
      Type.Union([Type.Boolean(), Type.Array(word(FIELD_SIGN_NAMES, 'A sign, see docs/signs.md'))], {
        description:
          'Signs of damaged values and names that are looked for: all of them (`true`), none (`false`), or those that are named. Absent: all',
      }),
    ),
    dry_run: Type.Optional(flag('Only judge: learn, store and count nothing. Absent: false')),
    mode: Type.Optional(
      word(
        ASKED_MODES,
        'Judge by past batches of the source alone (`adaptive`), or also by the documented thresholds (`contract`). `auto`: the setting of the source; if it has none, `contract` for rates of at least 20 cells until three batches were seen, then `adaptive`. Absent: the setting of the source, else of the server',
      ),
    ),
    false_alarm_rate: Type.Optional(
      Type.Number({
        minimum: MIN_FALSE_ALARM_RATE,
        maximum: MAX_FALSE_ALARM_RATE,
        description: `Share of clean batches that may be WARN because of their past, in both modes. Absent: the setting of the source, else ${FALSE_ALARM_RATE}`,
      }),
    ),
    batch_index: Type.Optional(integer('Index of this chunk in a larger batch, from 0 or 1', 0, MAX_INTEGER)),
    total_batches: Type.Optional(
      integer(
        'Number of chunks of the larger batch; if above 1, the row count is not judged',
        1,
        MAX_INTEGER,
      ),
    ),
  },
  { $id: 'Options', description: 'Options for this batch' },
);

const Row = Type.Unsafe<object>({
  $id: 'Row',
  type: 'object',
  additionalProperties: true,
  description: 'Any names, any values',
});

const ScreenRequest = Type.Object(
  {
    source: SOURCE,
    rows: Type.Array(Row, { minItems: 1, maxItems: MAX_ROWS }),
    options: Type.Optional(Options),
  },
  { $id: 'ScreenRequest', description: 'Members may be in any order' },
);

const ROWS = [
  { order_id: 'ORD-001', amount: 99.5, email: 'a@corp.com' },
  { order_id: 'ORD-002', amount: 'broken', email: null },
];
const STRICTER = {
  source: 'orders',
  rows: ROWS,
  options: { full_scan: true, thresholds: { null_rate_warn: 0.1 } },
};
const CSV = 'order_id,amount,email\nORD-001,99.5,a@corp.com\nORD-002,12,b@corp.com\n';

const Csv = Type.String({ description: 'A header line, then one record per row' });
const Bytes = Type.Unsafe<Uint8Array>({
  type: 'string',
  format: 'binary',
  description: 'Arrow IPC, or Parquet',
});
const Lines = Type.String({ description: 'One JSON object per line' });

/** Swagger UI shows the first example by default. */
export const CONTENT = {
  ...json(ScreenRequest, { rows: { source: 'orders', rows: ROWS }, options: STRICTER }),
  'text/csv': media(Csv, { rows: CSV }),
  'text/tab-separated-values': media(Csv, { rows: CSV.replaceAll(',', '\t') }),
  'application/x-ndjson': media(Lines, { rows: ROWS.map(row => `${JSON.stringify(row)}\n`).join('') }),
  'application/vnd.apache.arrow.stream': media(Bytes, {}),
  'application/vnd.apache.arrow.file': media(Bytes, {}),
  'application/vnd.apache.parquet': media(Bytes, {}),
};

const header = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

/** Some generators refer to the words of a header by a type that they do not write, unless the schema has a name. */
const named = <Schema extends TSchema>($id: string, schema: Schema): Schema => ({ ...schema, $id });

export const PARAMETERS: Parameter[] = [
  {
    ...header(
      'X-Source',
      'Name of the source in percent-encoded UTF-8. Required for all but JSON, where it is ignored',
      Type.String({ minLength: 1 }),
    ),
    example: 'orders',
  },
  header(
    'X-Options',
    'All but JSON: the options as one JSON object, like `options` in a JSON body',
    Type.String(),
  ),
  header(
    'X-CSV-Delimiter',
    'CSV: the delimiter. Without it, CSV of one column whose header and every row hold `;`, tab or `|` is refused',
    named('Delimiter', word(DELIMITER_NAMES, 'A character, or `tab` or `0x01`')),
  ),
  header(
    'X-CSV-Header-Line',
    'CSV: the line of the header, from 1. What stands before it is not read. Without it, CSV with a title or notes before its header is refused, and a header that does not look like one is reported in `issues.layout`',
    Type.Integer({ minimum: 1, maximum: MAX_HEADER_LINE }),
  ),
  header(
    'X-CSV-Escape',
    'CSV: the character before quotes and delimiters that are text, as Spark and MySQL write them, beside the doubled quote',
    named('Escape', word(['\\'], 'A backslash')),
  ),
  header(
    'Content-Encoding',
    'Compression of the body; only one',
    named('ContentCoding', word(['gzip', 'deflate', 'br', 'zstd'], 'The coding')),
  ),
  header(
    'Idempotency-Key',
    'Repeats of the same request within 24 hours get the first response again, and rows count once',
    Type.String({ pattern: '^[\\x21-\\x7e]+$', minLength: 1, maxLength: 255 }),
  ),
];

const always = (description: string, schema: Header['schema'], example: unknown): Header => ({
  description,
  required: true,
  schema,
  example,
});

export const HEADERS: Record<string, Header> = {
  'X-Service-Status': always('The verdict', verdict('As `status`'), 'BLOCK'),
  'X-Service-Health': always('The health score', HEALTH, 0.2813),
  'X-Service-Mode': always('Mode of the verdict', word(MODES, 'The mode'), 'contract'),
  'X-Service-Latency': always('Processing time', Type.String({ pattern: '^\\d+ms$' }), '2ms'),
  ...ROWS_HEADERS,
  ...QUOTA_HEADERS,
  'Server-Timing': always(
    `Duration of each stage in ms: ${STAGES.join(', ')}`,
    Type.String({ pattern: `^(${STAGES.join('|')});dur=[\\d.]+(, (${STAGES.join('|')});dur=[\\d.]+)*$` }),
    'upload;dur=0.2, admit;dur=0.1, parse;dur=0.5, profile;dur=0.2, judge;dur=0.1, commit;dur=0.4',
  ),
  'Idempotent-Replayed': {
    ...always('The response is a replay of an earlier request with the same key', flag('Always true'), true),
    required: false,
  },
};
