/** What kafkajs throws, as failures of the port. */
import { type FailureKind, KafkaFailure, type Refusal } from '../port.ts';

/** Errors of Kafka's protocol, by kind. */
const TYPES: Record<string, FailureKind> = {
  UNKNOWN_TOPIC_OR_PARTITION: 'missing_topic',
  TOPIC_AUTHORIZATION_FAILED: 'not_authorized',
  GROUP_AUTHORIZATION_FAILED: 'not_authorized',
  CLUSTER_AUTHORIZATION_FAILED: 'not_authorized',
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: 'not_authorized',
  SASL_AUTHENTICATION_FAILED: 'not_authorized',
  MESSAGE_TOO_LARGE: 'too_large',
  RECORD_LIST_TOO_LARGE: 'too_large',
  INVALID_RECORD: 'refused',
  INVALID_TIMESTAMP: 'refused',
  INVALID_PRODUCER_EPOCH: 'fenced',
  PRODUCER_FENCED: 'fenced',
  INVALID_PRODUCER_ID_MAPPING: 'fenced',
  INVALID_TXN_STATE: 'fenced',
};

/** Brokers that start, or hand their work over. */
const AWAY =
  /^(GROUP_LOAD_IN_PROGRESS|(GROUP_)?COORDINATOR_(NOT_AVAILABLE|LOAD_IN_PROGRESS)|NOT_COORDINATOR(_FOR_GROUP)?|LEADER_NOT_AVAILABLE|NOT_LEADER_FOR_PARTITION|NOT_ENOUGH_REPLICAS(_AFTER_APPEND)?|BROKER_NOT_AVAILABLE|NETWORK_EXCEPTION|REQUEST_TIMED_OUT|CONCURRENT_TRANSACTIONS)$/;

/** Codes of certificates that do not verify, and of handshakes that fail: the broker has no TLS, or refuses our certificate. */
const NOT_TRUSTED = /^(CERT_|ERR_TLS_CERT_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH$)/;

const NAMES: Record<string, FailureKind> = {
  KafkaJSConnectionError: 'broker_away',
  KafkaJSConnectionClosedError: 'broker_away',
  KafkaJSRequestTimeoutError: 'broker_away',
  KafkaJSBrokerNotFound: 'broker_away',
  KafkaJSNoBrokerAvailableError: 'broker_away',
  KafkaJSLockTimeout: 'broker_away',
  KafkaJSMetadataNotLoaded: 'broker_away',
  KafkaJSGroupCoordinatorNotFound: 'broker_away',
  KafkaJSSASLAuthenticationError: 'not_authorized',
  KafkaJSNotImplemented: 'unreadable_batch',
  KafkaJSUnsupportedMagicByteInMessageSet: 'unreadable_batch',
};

export interface RefusedRecord {
  at: number;
  why: string | null;
}

interface Thrown {
  name?: string;
  type?: string;
  code?: string;
  message?: string;
  cause?: unknown;
  /** The records that the broker refuses, if it names them. */
  records?: RefusedRecord[];
}

/** kafkajs wraps an error several times; the innermost that is known says most. */
export function failureOf(error: unknown, doing: string): KafkaFailure {
  if (error instanceof KafkaFailure) return error;
  const chain = chainOf(error);
  const kind = chain.map(kindOf).findLast(each => each !== null) ?? 'other';
  const [reason] = String(chain.at(-1)?.message ?? error).split('\n');
  return new KafkaFailure(kind, `${doing}: ${reason}`, { cause: error });
}

function chainOf(error: unknown): Thrown[] {
  const chain: Thrown[] = [];
  for (let each = error as Thrown | undefined; each && !chain.includes(each); each = each.cause as Thrown)
    chain.push(each);
  return chain;
}

function kindOf({ name = '', type = '', code }: Thrown): FailureKind | null {
  if (NOT_TRUSTED.test(String(code))) return 'not_trusted';
  return TYPES[type] ?? (AWAY.test(type) ? 'broker_away' : (NAMES[name] ?? null));
}

/** The coordinator still ends the transaction before this one. */
export const isConcurrent = (error: unknown): boolean =>
  chainOf(error).some(({ type }) => type === 'CONCURRENT_TRANSACTIONS');

export const isRefusal = ({ kind }: KafkaFailure): boolean => kind === 'too_large' || kind === 'refused';

export interface PartRefusal extends Refusal {
  /** The records that the broker names, by their index, each with its own reason. */
  records: ReadonlyMap<number, Refusal>;
}

/** Why the broker refuses the messages themselves; null if something else failed. */
export function refusalIn(error: unknown, topic: string): PartRefusal | null {
  const found = chainOf(error).find(
    ({ type = '' }) => TYPES[type] === 'too_large' || TYPES[type] === 'refused',
  );
  if (found === undefined) return null;
  const { type = '', message = '', records = [] } = found;
  const refusal = (why: string): Refusal => ({
    kind: TYPES[type] as Refusal['kind'],
    topic,
    isTimestamp: type === 'INVALID_TIMESTAMP' && /timestamp/i.test(why),
    message: `the topic ${topic} does not take it: ${why.split('\n')[0]}`,
  });
  const named = records.map(({ at, why }) => [at, refusal(why ?? message)] as const);
  return { ...refusal(message), records: new Map(named) };
}
