/** Screens a file of any length on a server, as one batch: it is sent as it is; chosen columns, and rows that are found in a JSON object, in parts. */
import { randomUUID } from 'node:crypto';
import { Format } from '../../../assembly/abi.ts';
import { transportOf } from '../../client/call.ts';
import { screeningIn } from '../../client/screening.ts';
import { bodyIn, type Incoming, type Outgoing, send } from '../../client/send.ts';
import { SluiceError } from '../../client/sluice-error.ts';
import { delimiterName } from '../../intake/delimiters.ts';
import { bodyOf } from '../../slices/slice.ts';
import { asciiJson } from '../../terms/wording.ts';
import { Failure } from '../failure.ts';
import { namedFormat } from '../input/format.ts';
import type { Reading } from '../input/reading.ts';
import type { NamedBatch, Screened, Server } from './named-batch.ts';
import { checkHead, failureIn, screenedBy } from './remote.ts';

/** A server reads one body for at most an hour, and only it knows how long it judges. */
const TRANSPORT = transportOf({
  timeoutMs: 2 * 3_600_000,
  fetch: (url, init) => fetch(url, { ...init, timeout: false } as RequestInit),
});

/** A server that reads as many bodies as it can has room when one of them ends. Each time is six tries. */
const TIMES = 10;

const TYPES: Partial<Record<Format, string>> = {
  [Format.CSV]: 'text/csv',
  [Format.JSON]: 'application/json',
  [Format.NDJSON]: 'application/x-ndjson',
  [Format.ARROW]: 'application/vnd.apache.arrow.stream',
  [Format.ARROW_FILE]: 'application/vnd.apache.arrow.file',
  [Format.PARQUET]: 'application/vnd.apache.parquet',
};
const JSON_TYPE = { 'Content-Type': 'application/json' };

export interface SentFile {
  /** Shown to the user. */
  file: string;
  /** Where its bytes are. */
  path: string;
  reading: Reading;
  /** The first slice, which says how the file is read. */
  first: NamedBatch;
}

/** Throws `Failure`. */
export async function screenAsItIs(
  { file, path, reading, first }: SentFile,
  server: Server,
): Promise<Screened> {
  const { format, charset, source, options } = first;
  const { delimiter, headerLine = 1, coding } = format;
  // Slices of columns are Arrow streams, whatever the file is.
  const kind = format.format === Format.ARROW ? namedFormat(file, reading.format).format! : format.format;
  checkSaid(first);
  checkHead(first, server);
  const isCsv = kind === Format.CSV;
  const headers = {
    'Content-Type': `${TYPES[kind]}${charset === null ? '' : `; charset=${charset}`}`,
    'X-Source': encodeURIComponent(source),
    'X-Options': asciiJson(options),
    'Idempotency-Key': randomUUID(),
    ...(coding !== null && { 'Content-Encoding': coding }),
    ...(isCsv && { 'X-CSV-Delimiter': delimiterName(delimiter), 'X-CSV-Header-Line': String(headerLine) }),
    ...(isCsv && reading.escapedBy !== undefined && { 'X-CSV-Escape': reading.escapedBy }),
  };
  const asked = { method: 'POST', path: '/v1/batches/whole', headers, body: Bun.file(path) };
  const { text } = await answerTo(asked, server, file, answer =>
    screeningIn(answer, server.url, { source, rows: null }),
  );
  return screenedBy(server, text, file, rows => rows >= first.rows);
}

/** Throws `Failure` for a request object that a server would refuse with what is sent beside it. */
function checkSaid({ file, said, source }: NamedBatch): void {
  if (said.options === undefined && (said.source ?? source) === source) return;
  throw new Failure(
    'A server does not read the options of a request object of more than 10,000 rows, nor a source that is not --source: write its rows alone into a file, as an array, or leave --url out',
    file,
  );
}

/** Each slice is a part. Throws `Failure`. */
export async function screenParts(
  first: NamedBatch,
  batches: AsyncIterable<NamedBatch>,
  server: Server,
): Promise<Screened> {
  const { file, format, source, options } = first;
  checkSaid(first);
  if (options.row_verdicts === true)
    throw new Failure(
      'A server does not list the rows to hold back with --columns or --rows beyond 10,000 rows: leave --url out',
      file,
    );
  const ask = <Read>(asked: Asked, read: (answer: Incoming) => Read) => answerTo(asked, server, file, read);
  const keyed = { ...JSON_TYPE, 'Idempotency-Key': randomUUID() };
  const { batch_id } = await ask(
    { method: 'POST', path: '/v1/batches', headers: keyed, body: JSON.stringify({ source, options }) },
    answer => bodyIn<{ batch_id: string }>(answer),
  );
  const path = `/v1/batches/${encodeURIComponent(batch_id)}`;
  let parts = 0;
  let sent = 0;
  try {
    for await (const batch of batches) {
      const part = {
        method: 'PUT',
        path: `${path}/parts/${parts++}`,
        headers: { 'Content-Type': TYPES[format.format]! },
      };
      await ask({ ...part, body: bodyOf(batch) }, bodyIn);
      sent += batch.rows;
    }
    const finish = { method: 'POST', path: `${path}/finish`, headers: JSON_TYPE };
    const { text } = await ask({ ...finish, body: JSON.stringify({ parts }) }, answer =>
      screeningIn(answer, server.url, { source, rows: null }),
    );
    return screenedBy(server, text, file, rows => rows === sent);
  } catch (error) {
    await ask({ method: 'DELETE', path, headers: {} }, () => null).catch(() => {});
    throw error;
  }
}

interface Asked extends Pick<Outgoing, 'method' | 'headers' | 'body'> {
  path: string;
}

/** Throws `Failure`. */
async function answerTo<Read>(
  { path, headers, ...asked }: Asked,
  server: Server,
  file: string,
  read: (answer: Incoming) => Read,
): Promise<Read> {
  const request = {
    ...asked,
    url: `${server.url}${path}`,
    headers: { ...headers, 'X-API-Key': server.key },
    repeatable: true,
    signal: undefined,
  };
  for (let time = 1; ; time++)
    try {
      return read(await send(request, TRANSPORT));
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      const isFull = error.status === 503 && error.retryAfterSeconds !== null;
      if (!isFull || time === TIMES) throw failureIn(error, server, file);
    }
}
