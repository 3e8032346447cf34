/** Screens batches by a server: a request for each, sent again while the server asks for patience. */
import { Format } from '../../assembly/abi.ts';
import type { Report } from '../response/report.ts';
import { Failure } from './failure.ts';
import { openEngines } from './local.ts';
import type { FileResult, NamedBatch, Screener } from './screening.ts';

const ATTEMPTS = 6;
/** A server that does not answer at all is given up sooner: most often the address is wrong. */
const CALLS = 4;
const MAX_PAUSE_MS = 30_000;
const FIRST_PAUSE_MS = 250;
const TIMEOUT_MS = 120_000;
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

/** The engine here only cuts files into batches. */
export const remoteScreener = async (server: Server): Promise<Screener> => ({
  engines: await openEngines(),
  screen: batch => send(batch, server),
});

async function send(batch: NamedBatch, server: Server): Promise<Pick<FileResult, 'report' | 'body'>> {
  const response = await answerTo(requestOf(batch, server), server);
  const body = await response.text();
  if (response.ok) return { report: JSON.parse(body) as Report, body };
  throw new Failure(`${server.url} refuses it: ${messageIn(body, response.status)}`, batch.file);
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

async function answerTo(request: RequestInit, { url }: Server): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(`${url}/v1/screen`, {
      ...request,
      method: 'POST',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: Error) => error);
    const isAnswer = answer instanceof Response;
    const pauseMs = isAnswer ? pauseOf(answer, attempt) : FIRST_PAUSE_MS * 2 ** attempt;
    const isLast = attempt >= (isAnswer ? ATTEMPTS : CALLS) || pauseMs > MAX_PAUSE_MS;
    if (isAnswer && (isLast || !PATIENCE.has(answer.status))) return answer;
    if (!isAnswer && isLast)
      throw new Failure(
        `${url} cannot be reached: ${answer.message} Is the server running, and is --url right?`,
      );
    if (isAnswer) await answer.body?.cancel();
    await Bun.sleep(pauseMs);
  }
}

function pauseOf({ headers }: Response, attempt: number): number {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : FIRST_PAUSE_MS * 2 ** attempt;
}

function messageIn(body: string, status: number): string {
  try {
    const { message, code } = JSON.parse(body) as { message: string; code: string };
    if (typeof message === 'string') return `${message} (${code})`;
  } catch {}
  return `status ${status}; is --url the address of a Sluice server?`;
}
