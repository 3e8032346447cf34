/** Screens batches by a server: a request for each, by the client that this package publishes. */
import { Format } from '../../assembly/abi.ts';
import { baseOf } from '../client/address.ts';
import { type Delimiter, type Input, Sluice, SluiceError } from '../client/index.ts';
import { chunkOptions } from '../client/input.ts';
import type { Report } from '../response/report.ts';
import { Failure } from './failure.ts';
import { openEngines } from './local.ts';
import type { FileResult, NamedBatch, Screener } from './screening.ts';

export interface Server {
  url: string;
  key: string;
}

/** The address without what follows its path. Throws `Failure`. */
export function serverUrl(given: string): string {
  const url = baseOf(given);
  if (url === null) throw new Failure('--url must be the address of a server, as in http://127.0.0.1:8080');
  return url;
}

/** The engine here only cuts files into batches: it knows cells and lines, which the client does not. */
export async function remoteScreener(server: Server): Promise<Screener> {
  const client = clientOf(server);
  return { engines: await openEngines(), screen: batch => send(batch, client, server) };
}

function clientOf(server: Server): Sluice {
  try {
    return new Sluice(server);
  } catch (error) {
    throw new Failure(`${(error as Error).message}: check --key or SLUICE_KEY`);
  }
}

async function send(
  batch: NamedBatch,
  client: Sluice,
  { url }: Server,
): Promise<Pick<FileResult, 'report' | 'body'>> {
  try {
    const { text } = await client.screen(inputOf(batch));
    return { report: JSON.parse(text) as Report, body: text };
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error;
    if (error.code === 'UNREACHABLE')
      throw new Failure(
        `${url} cannot be reached: ${(error.cause as Error).message} Is the server running, and is --url right?`,
      );
    throw new Failure(`${url} refuses it: ${error.message} (${error.code})`, batch.file);
  }
}

function inputOf({ format: { format, delimiter }, body, source, ...batch }: NamedBatch): Input {
  const named = { source, options: chunkOptions(batch.options, batch.number, batch.last) };
  if (format === Format.JSON) return { ...named, json: body };
  if (format === Format.NDJSON) return { ...named, ndjson: body };
  return { ...named, csv: body, delimiter: delimiterOf(delimiter) };
}

const delimiterOf = (byte: number): Delimiter =>
  byte === 0x09 ? 'tab' : (String.fromCharCode(byte) as Delimiter);
