/** Opens kafkajs with the settings of a stream. Why kafkajs: docs/decisions/0006-kafkajs-behind-a-port.md. */
import { readFileSync } from 'node:fs';
import { Kafka, type KafkaConfig, logLevel, type SASLOptions } from 'kafkajs';
import type { Logger } from 'pino';
import { addCodecs } from './compression.ts';
import { restEmptyQueues } from './patches.ts';
import { replaceRequests } from './protocol.ts';
import { type Sasl, type StreamConfig, StreamConfigError, type Tls } from '../config.ts';

/** A request without an answer for so long has failed. */
const REQUEST_MS = 30_000;
const CONNECT_MS = 3000;

/**
 * A transaction that begins while the last one of its writer is being ended is refused for some milliseconds, and every window
 * begins one. kafkajs would wait 0.3 s.
 */
const RETRY = { initialRetryTime: 5, maxRetryTime: 1000, multiplier: 2, retries: 8 };

/** Throws `StreamConfigError` for a file that cannot be read. */
export function openClient(config: StreamConfig, log: Logger): Kafka {
  addCodecs();
  replaceRequests();
  restEmptyQueues();
  const { brokers, tls, sasl } = config;
  return new Kafka({
    clientId: 'sluice',
    brokers,
    ssl: tls === null ? false : tlsOf(tls),
    ...(sasl !== null && { sasl: saslOf(sasl) }),
    requestTimeout: REQUEST_MS,
    enforceRequestTimeout: true,
    connectionTimeout: CONNECT_MS,
    authenticationTimeout: CONNECT_MS,
    retry: RETRY,
    logLevel: logLevel.ERROR,
    // What is wrong in the end is logged where it is handled.
    logCreator:
      () =>
      ({ namespace, log: { message } }) =>
        log.debug({ kafkajs: namespace }, String(message)),
  });
}

function tlsOf({ ca, cert, key, serverName }: Tls): NonNullable<KafkaConfig['ssl']> {
  return {
    ...(ca !== null && { ca: [fileIn(ca, 'ca')] }),
    ...(cert !== null && { cert: fileIn(cert, 'cert') }),
    ...(key !== null && { key: fileIn(key, 'key') }),
    ...(serverName !== null && { servername: serverName }),
  };
}

function fileIn(file: string, member: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StreamConfigError(['tls', member], `the file cannot be read: ${(error as Error).message}`);
  }
}

const saslOf = ({ mechanism, username, password }: Sasl): SASLOptions =>
  ({ mechanism, username, password }) as SASLOptions;
