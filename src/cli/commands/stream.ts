/** `sluice stream`: screens Kafka topics until it is stopped. */
import type { Logger } from 'pino';
import { readCliEnvironment, readConfig, readStreamEnvironment } from '../../config/config.ts';
import type { DocumentText } from '../../documents/document-text.ts';
import { openLog } from '../../metrics/log.ts';
import { readStreamConfig, type StreamConfig, StreamConfigError } from '../../stream/config.ts';
import { KafkaFailure } from '../../stream/port.ts';
import { onStopSignals } from '../../service/stop-signals.ts';
import { type StreamService, startStream } from '../../service/stream-service.ts';
import { type Command, EXIT, type Given, isOn, textIn } from '../command.ts';
import { Failure } from '../failure.ts';
import { buildMissingEngine } from '../screening/open-engine.ts';
import { documentIn } from './rules-file.ts';
import type { Terminal } from '../terminal.ts';

export const streamCommand: Command = {
  name: 'stream',
  summary: 'screen Kafka topics, and pass on the rows that pass',
  words: '',
  about: [
    'Reads topics in windows, screens each window as a batch, and writes its rows: those that pass to one topic, those that are held',
    'to another, each exactly once. SLUICE_KEY is the API key whose account the jobs belong to; the other variables are those of',
    'the service, such as DATA_DIR, DATABASE_URL and REDIS_URL. It runs until SIGTERM. See docs/streams.md.',
  ],
  options: {
    config: {
      type: 'string',
      short: 'c',
      value: 'FILE',
      help: 'YAML file with brokers, topics and windows',
      choices: 'file',
    },
    check: { type: 'boolean', help: 'Only check FILE and the environment' },
  },
  examples: [
    ['sluice stream --config stream.yaml', 'Screen the topics that a file names'],
    ['sluice stream --config stream.yaml --check', 'Check the file before a deployment'],
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  const file = textIn(given, 'config');
  if (file === undefined || given.words.length > 0)
    throw new Failure('Name the configuration with --config FILE. See sluice stream --help');
  const config = readConfig();
  const { key } = readCliEnvironment();
  const document = await documentIn(file, quotedNames);
  const stream = configIn(file, document, config.maxBodyBytes);
  if (key === null) throw new Failure('SLUICE_KEY is not set: make a key with sluice keys create');
  if (isOn(given, 'check')) {
    await terminal.write(`${file} is in order\n`);
    return EXIT.pass;
  }
  buildMissingEngine();
  const { log, flush } = openLog(config);
  const starting = startStream(stream, key, config, log).catch(error => {
    throw failureIn(file, document, error);
  });
  try {
    return await untilStopped(starting, log);
  } finally {
    flush();
  }
}

function configIn(file: string, document: DocumentText, maxBodyBytes: number): StreamConfig {
  try {
    return readStreamConfig(document.value, readStreamEnvironment(), maxBodyBytes);
  } catch (error) {
    throw failureIn(file, document, error);
  }
}

/** Resolves when a signal has stopped it. A second signal ends the process at once, unless it is a copy of the first: see `stop-signals.ts`. */
async function untilStopped(starting: Promise<StreamService>, log: Logger): Promise<number> {
  const stopped = Promise.withResolvers<string>();
  onStopSignals(stopped.resolve, () => process.exit(EXIT.error));
  const service = await Promise.race([starting, stopped.promise.then(() => null)]);
  // Nothing is read yet, so nothing is lost.
  if (service === null) return EXIT.pass;
  const { metricsUrl, failed } = service;
  log.info(metricsUrl === null ? {} : { metricsUrl }, 'screening');
  const signal = await Promise.race([stopped.promise, failed]);
  log.info({ signal }, 'stopping');
  await service.stop();
  return EXIT.pass;
}

function failureIn(file: string, document: DocumentText, error: unknown): unknown {
  if (error instanceof StreamConfigError) return failureAt(file, document, error);
  return error instanceof KafkaFailure ? new Failure(error.message) : error;
}

const failureAt = (file: string, document: DocumentText, { path, message }: StreamConfigError): Failure =>
  new Failure(`${pathOf(path)}: ${message}`, file, document.lineOf(path));

/** `inputs[0].topic`. */
const pathOf = (path: StreamConfigError['path']): string =>
  path.reduce<string>(
    (text, name) => (typeof name === 'number' ? `${text}[${name}]` : text === '' ? name : `${text}.${name}`),
    '',
  );

/** YAML reads `{{NAME}}` as two maps unless it is in quotes. */
const quotedNames = (text: string): string =>
  text.replace(/^(\s*(?:-\s+)?(?:\w+:\s+)?)(\{\{\s*\w+\s*\}\})(?=\s*(?:#.*)?$)/gm, '$1"$2"');
