/**
 * Screens batches by a server: a request for each, sent again while the server asks for patience. What answers may be another server
 * than the one that was meant: nothing but a verdict on the rows that were sent counts, the key goes nowhere else, and is not shown.
 */
import { Format } from '../../assembly/abi.ts';
import { escaped, quoted } from '../errors.ts';
import type { Report } from '../response/report.ts';
import { Failure } from './failure.ts';
import { MAX_BODY_BYTES, openEngines } from './local.ts';
import { RANK } from './report.ts';
import type { FileResult, NamedBatch, Screener } from './screening.ts';

const ATTEMPTS = 6;
/** A server that does not answer at all is given up sooner: most often the address is wrong. */
const CALLS = 4;
const MAX_PAUSE_MS = 30_000;
const FIRST_PAUSE_MS = 250;
const TIMEOUT_SECONDS = 120;
/** An answer names the fields of its batch a few times. */
const MAX_ANSWER_BYTES = 4 * MAX_BODY_BYTES;
/** Answers after which the same request may be sent again. */
const PATIENCE = new Set([408, 429, 500, 502, 503, 504]);

const TYPES: Record<Format, string> = {
  [Format.JSON]: 'application/json',
  [Format.CSV]: 'text/csv',
  [Format.NDJSON]: 'application/x-ndjson',
};

export interface Server {
  url: string;
  key: string;
}

/** The address without what follows its path. Throws `Failure`. */
export function serverUrl(given: string): string {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Failure('--url must be the address of a server, as in http://127.0.0.1:8080');
  return `${url.origin}${url.pathname.replace(/\/(v1\/?)?$/, '')}`;
}

/** The engine here only cuts files into batches. Throws `Failure`. */
export async function remoteScreener(server: Server): Promise<Screener> {
  if (!/^[\x21-\x7e]+$/.test(server.key))
    throw new Failure('The API key holds characters that no key has; was it copied whole, and nothing else?');
  return { engines: await openEngines(), screen: batch => send(batch, server) };
}

interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

async function send(batch: NamedBatch, server: Server): Promise<Pick<FileResult, 'report' | 'body'>> {
  const { status, headers, body } = await answerTo(requestOf(batch, server), server);
  const location = headers.get('location');
  if (status >= 300 && status < 400 && location !== null)
    throw refusal(
      batch,
      server,
      `it sends elsewhere, to ${quoted(location)}; name that as --url if it is right`,
    );
  const answer = jsonIn(body);
  if (status === 200 && isReport(answer, batch)) return { report: answer, body };
  const { message, code } = (answer ?? {}) as Record<string, unknown>;
  const isRefusal = status !== 200 && typeof message === 'string';
  throw refusal(
    batch,
    server,
    isRefusal ? `${message} (${code})` : `status ${status} without a verdict; is it a Sluice server?`,
  );
}

const refusal = ({ file }: NamedBatch, { url }: Server, said: string): Failure =>
  new Failure(`${url} refuses it: ${escaped(said)}`, file);

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A verdict on these rows, and no other success of whatever server this is. */
function isReport(answer: unknown, { rows }: NamedBatch): answer is Report {
  const { status, health_score, decision, stats } = (answer ?? {}) as Partial<Report>;
  return (
    Object.hasOwn(RANK, status ?? '') &&
    typeof health_score === 'number' &&
    typeof decision?.reason === 'string' &&
    typeof stats?.source === 'string' &&
    stats.rows_received === rows
  );
}

function requestOf(batch: NamedBatch, { key }: Server): RequestInit {
  const { format, delimiter } = batch.format;
  const headers: Record<string, string> = {
    'Content-Type': TYPES[format],
    'X-API-Key': key,
    // However often it is sent, its rows are counted and learnt once.
    'Idempotency-Key': crypto.randomUUID(),
  };
  const options = { ...batch.options, ...chunkOptions(batch) };
  if (format === Format.JSON)
    return { headers, body: withEnvelope(batch.body, { source: batch.source, options }) };
  headers['X-Source'] = encodeURIComponent(batch.source);
  headers['X-Options'] = asciiJson(options);
  if (format === Format.CSV)
    headers['X-CSV-Delimiter'] = delimiter === 0x09 ? 'tab' : String.fromCharCode(delimiter);
  return { headers, body: batch.body as Uint8Array<ArrayBuffer> };
}

/** How many batches there will be is not known before the last. */
function chunkOptions({ isChunk, number, last }: NamedBatch): object {
  return isChunk ? { batch_index: number, total_batches: last ? number : number + 1 } : {};
}

/** Of a repeated key the last one wins. */
function withEnvelope(body: Uint8Array, envelope: object): Uint8Array<ArrayBuffer> {
  const members = `,${JSON.stringify(envelope).slice(1)}`;
  return Buffer.concat([body.subarray(0, body.lastIndexOf(0x7d)), Buffer.from(members)]);
}

const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

async function answerTo(request: RequestInit, server: Server): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await asked(request, server);
    const isAnswer = !(answer instanceof Error);
    const pauseMs = isAnswer ? pauseOf(answer, attempt) : FIRST_PAUSE_MS * 2 ** attempt;
    const isLast = attempt >= (isAnswer ? ATTEMPTS : CALLS) || pauseMs > MAX_PAUSE_MS;
    if (isAnswer && (isLast || !PATIENCE.has(answer.status))) return answer;
    if (!isAnswer && isLast)
      throw new Failure(
        `${server.url} cannot be reached: ${firstSentence(answer.message)}. Is the server running, and is --url right?`,
      );
    await Bun.sleep(pauseMs);
  }
}

const firstSentence = (text: string): string => text.split('. ')[0]!.replace(/\.$/, '');

/** One call; an `Error` where no whole answer came. Throws `Failure` where another call would be of no use. */
async function asked(request: RequestInit, { url, key }: Server): Promise<Answer | Error> {
  try {
    const response = await fetch(`${url}/v1/screen`, {
      ...request,
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
    });
    const { status, headers } = response;
    // The server may have sent the key back.
    return { status, headers, body: (await bodyOf(response, url)).replaceAll(key, '…') };
  } catch (error) {
    if ((error as Error).name === 'TimeoutError')
      throw new Failure(`${url} gave no answer within ${TIMEOUT_SECONDS} seconds`);
    if (error instanceof Failure) throw error;
    return error as Error;
  }
}

async function bodyOf({ body }: Response, url: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > MAX_ANSWER_BYTES)
      throw new Failure(`${url} sends more than an answer; is it a Sluice server?`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** In ms. */
function pauseOf({ headers }: Answer, attempt: number): number {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return seconds >= 0 ? seconds * 1000 : FIRST_PAUSE_MS * 2 ** attempt;
}
