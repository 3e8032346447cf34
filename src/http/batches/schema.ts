/** Requests and answers of /v1/batches. */
import { Type } from '@sinclair/typebox';
import { MAX_PARTS } from '../../batches/limits.ts';
import { dateTime, integer, largeCount, orNull, SOURCE, text, word } from '../../report-schema/values.ts';
import { idOf, media, type RequestBody } from '../documents/operation.ts';
import { Quarantine } from '../../report-schema/report.ts';
import { Options } from '../screen/schema.ts';

const bytes = Type.Unsafe<Uint8Array>({
  type: 'string',
  format: 'binary',
  description: 'Arrow IPC, or Parquet',
});

const CSV = 'order_id,amount\nORD-001,99.5\nORD-002,12\n';

export const BODY: RequestBody = {
  required: true,
  description: 'Any number of rows',
  content: {
    'text/csv': media(text('A header line, then one record per row'), { rows: CSV }),
    'text/tab-separated-values': media(text('The same with tabs'), { rows: CSV.replaceAll(',', '\t') }),
    'application/x-ndjson': media(text('One JSON object per line'), {
      rows: '{"order_id":"ORD-001","amount":99.5}\n{"order_id":"ORD-002","amount":12}\n',
    }),
    'application/json': media(
      Type.Unsafe<object>({ description: 'An array of rows, or an object with `rows`' }),
      { rows: [{ order_id: 'ORD-001', amount: 99.5 }] },
    ),
    'application/vnd.apache.arrow.stream': media(bytes, {}),
    'application/vnd.apache.arrow.file': media(bytes, {}),
    'application/vnd.apache.parquet': media(bytes, {}),
  },
};

const BATCH_ID = Type.String({ description: 'Id of the batch', pattern: '^bat_[0-9A-HJKMNP-TV-Z]{26}$' });
const SHA256 = Type.String({
  description: "SHA-256 of the body's bytes as they were sent, in hex",
  pattern: '^[0-9a-f]{64}$',
});
const PART = integer('Number of the part, from 0', 0, MAX_PARTS - 1);

export const BatchRequest = Type.Object(
  { source: SOURCE, options: Type.Optional(Options) },
  { $id: 'BatchRequest' },
);

export const OpenedBatch = Type.Object(
  {
    batch_id: BATCH_ID,
    source: SOURCE,
    expires_at: dateTime('Until then it can be finished'),
  },
  { $id: 'OpenedBatch' },
);

export const SentPart = Type.Object(
  {
    part: PART,
    rows: largeCount('Rows of the part'),
    sha256: SHA256,
    quarantine: Type.Optional(Quarantine),
  },
  { $id: 'SentPart' },
);

export const BatchInParts = Type.Object(
  {
    batch_id: BATCH_ID,
    source: SOURCE,
    status: word(
      ['open', 'finished', 'aborted', 'expired'],
      'Whether it takes parts; while it is being finished it is open',
    ),
    rows: Type.Optional(largeCount('Rows so far; absent in a list, but of a window')),
    parts: Type.Optional(Type.Array(SentPart, { description: 'Absent in a list, and of a window' })),
    window: Type.Optional(
      Type.Object(
        {
          rows: largeCount('With so many rows it ends'),
          ends_at: orNull(dateTime('When it ends with fewer; null: it has been judged')),
        },
        { description: 'Of a batch that posts to a source with a window become; absent for others' },
      ),
    ),
    created_at: dateTime('When it was opened'),
    expires_at: dateTime('Until then it can be finished'),
    request_id: orNull(text('Id of its answer, and of its job; null before that')),
  },
  { $id: 'BatchInParts' },
);

export const BatchList = Type.Object({ batches: Type.Array(BatchInParts) }, { $id: 'BatchList' });

export const FinishRequest = Type.Object(
  { parts: integer('How many parts the batch has', 1, MAX_PARTS) },
  { $id: 'FinishRequest' },
);

const ID = 'bat_01M8F1838TJ38YN0ZJSMPKEAFY';

export const EXAMPLES = {
  opened: { batch_id: ID, source: 'orders', expires_at: '2026-11-28T12:00:00.000Z' },
  part: {
    part: 0,
    rows: 1_000_000,
    sha256: '6efec1b69eb49edbaa220729728fe594b35ad9f0a3f4f0c62e3d4c1d0e9a8b7c',
  },
};

export const EXAMPLE_BATCH = {
  ...EXAMPLES.opened,
  status: 'open',
  rows: EXAMPLES.part.rows,
  parts: [EXAMPLES.part],
  created_at: '2026-11-27T12:00:00.000Z',
  request_id: null,
};

export const OF_BATCH = idOf('batch', ID);
export const OF_PART = {
  ...OF_BATCH,
  part: { description: `Number of the part, from 0 to ${MAX_PARTS - 1}`, schema: PART, example: 0 },
};
