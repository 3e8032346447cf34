/**
 * Screens files of one slice on a server, with the published client. The answer may come from a wrong server: only a verdict on
 * the rows that were sent counts, and a key in the answer is hidden.
 */
import { Format } from '../../../assembly/abi.ts';
import { baseOf } from '../../client/address.ts';
import { type Delimiter, type Input, Sluice, SluiceError } from '../../client/index.ts';
import { escaped } from '../../terms/errors.ts';
import { delimiterName } from '../../intake/delimiters.ts';
import type { Report } from '../../report-schema/report.ts';
import { MAX_HEAD_BYTES } from '../../http/wire/head.ts';
import { asciiJson, grouped } from '../../terms/wording.ts';
import { Failure } from '../failure.ts';
import { bodyOf } from '../../slices/slice.ts';
import { FileThreads } from './file-threads.ts';
import type { NamedBatch, Screened, Screener, Server } from './named-batch.ts';

/** A server answers in milliseconds. No answer mostly means a wrong address. */
const LIMITS = { timeoutMs: 30_000 };

/** The base address of the server. Throws `Failure`. */
export function serverUrl(given: string): string {
  const url = baseOf(given);
  if (url === null) throw new Failure('--url must be the address of a server, as in http://127.0.0.1:8080');
  return url;
}

/** Batches are parsed here too: unlike the server this knows the lines of the file. */
export async function remoteScreener(server: Server): Promise<Screener> {
  const client = clientOf(server);
  const threads = await FileThreads.open();
  return {
    threads,
    server,
    screen: async batch => {
      const body = bodyOf(batch);
      if (batch.format.format !== Format.ARROW) await threads.parse(batch);
      return send({ ...batch, body }, client, server);
    },
  };
}

function clientOf(server: Server): Sluice {
  if (!/^[\x21-\x7e]+$/.test(server.key))
    throw new Failure(
      '--key or SLUICE_KEY has invalid characters; copy the key again, without anything else',
    );
  return new Sluice({ ...server, ...LIMITS });
}

type Sent = NamedBatch & { body: Uint8Array };

async function send(batch: Sent, client: Sluice, server: Server): Promise<Screened> {
  // JSON has its options in the body.
  if (batch.format.format !== Format.JSON) checkHead(batch, server);
  try {
    const { text } = await client.screen(inputOf(batch));
    return screenedBy(server, text, batch.file, rows => rows === batch.rows);
  } catch (error) {
    throw error instanceof SluiceError ? failureIn(error, server, batch.file) : error;
  }
}

/** `isAll`: whether these are all rows that were sent. Throws `Failure` for an answer about others. */
export function screenedBy(
  { url, key }: Server,
  text: string,
  file: string,
  isAll: (rows: number) => boolean,
): Screened {
  const body = text.replaceAll(key, '…');
  const report = JSON.parse(body) as Report;
  if (isAll(report.stats.rows_received)) return { report, body };
  throw new Failure(`${url} answered about other rows than were sent; is --url right?`, file);
}

/** Names and values of all headers but those that `checkHead` counts. */
const OTHER_HEADERS_BYTES = 512;

/** Options that are too large for a header get advice here: the server can only say that the head is too long. Throws `Failure`. */
export function checkHead({ file, source, options }: NamedBatch, { url, key }: Server): void {
  const named = encodeURIComponent(source);
  const optionBytes = asciiJson(options).length;
  if (optionBytes + named.length + url.length + key.length + OTHER_HEADERS_BYTES <= MAX_HEAD_BYTES) return;
  throw new Failure(
    `The options have ${grouped(optionBytes)} bytes, and all headers of a request may have ${grouped(MAX_HEAD_BYTES)}: store the rules with PUT ${url}/v1/schema/${named}/rules instead of sending them with each batch`,
    file,
  );
}

export function failureIn(
  { code, message, cause }: SluiceError,
  { url, key }: Server,
  file: string,
): Failure {
  const shown = (said: string) => escaped(said.replaceAll(key, '…'));
  if (code !== 'UNREACHABLE')
    return new Failure(`${url} rejected it: ${shown(`${message} (${code})`)}`, file);
  const why = firstSentence((cause as Error).message);
  return new Failure(`${url} cannot be reached: ${shown(why)}. Is the server running, and is --url right?`);
}

const firstSentence = (text: string): string => text.split('. ')[0]!.replace(/\.$/, '');

function inputOf({ format: { format, delimiter, headerLine = 1 }, body, source, options }: Sent): Input {
  const named = { source, options };
  if (format === Format.JSON) return { ...named, json: body };
  if (format === Format.NDJSON) return { ...named, ndjson: body };
  if (format === Format.ARROW) return { ...named, arrow: body };
  const from = headerLine > 1 ? { headerLine } : {};
  return { ...named, csv: body, delimiter: delimiterName(delimiter) as Delimiter, ...from };
}
