/**
 * Replaces four requests in the table of kafkajs, which has no option for that. Fetch passes on the bytes of each partition
 * undecoded, as one message. Produce writes record batches of ours, and says which records a broker refuses. Metadata has the
 * ids of topics. ListOffsets can give the end of a partition without regard to transactions.
 */
// @ts-expect-error No types: kafkajs does not export them.
import Encoder from 'kafkajs/src/protocol/encoder.js';
// @ts-expect-error
import Decoder from 'kafkajs/src/protocol/decoder.js';
// @ts-expect-error
import { createErrorFromCode, failure } from 'kafkajs/src/protocol/error.js';
// @ts-expect-error
import { requests } from 'kafkajs/src/protocol/requests/index.js';
import type { Outgoing } from '../port.ts';
import type { RefusedRecord } from './failures.ts';
import { type Aborted, batchOf } from './record-batches.ts';

/** The answer to a fetch of one partition, which kafkajs takes for a message. */
export interface FetchedPartition {
  /** The offset that was asked for: kafkajs skips messages before it. */
  offset: string;
  bytes: Buffer;
  aborted: Aborted[];
  /** The broker has no such offset. Left alone, kafkajs would commit another one, without our transaction and note. */
  isOutOfRange: boolean;
}

interface Request {
  request: { encode(): Promise<unknown> };
  response: { decode(raw: Buffer): Promise<unknown>; parse(data: never): Promise<unknown> };
}
type Protocol<Options> = (options: Options) => Request;
interface Definition {
  versions: (string | number)[];
  protocol(of: { version: number }): Protocol<never>;
}

let isInstalled = false;

export function replaceRequests(): void {
  if (isInstalled) return;
  isInstalled = true;
  const table = requests as Record<'Fetch' | 'Produce' | 'ListOffsets' | 'Metadata', Definition>;
  table.Fetch = replaced(table.Fetch, fetchOf);
  table.ListOffsets = replaced(table.ListOffsets, listOffsetsOf);
  table.Produce = replaced(table.Produce, produceOf, PRODUCE_VERSION);
  table.Metadata = replaced(table.Metadata, metadataOf, METADATA_VERSION);
}

/** `newest`: a version that kafkajs does not have. For versions in between, the newest one of kafkajs is used. */
function replaced<Options>(
  { versions, protocol }: Definition,
  replace: (version: number, theirs: (options: Options) => Request, options: Options) => Request,
  newest = 0,
): Definition {
  const theirNewest = Math.max(...versions.map(Number));
  return {
    versions: newest > 0 ? [...versions, newest] : versions,
    protocol: ({ version }) => {
      const known = version === newest ? version : Math.min(version, theirNewest);
      const theirs = protocol({ version: Math.min(version, theirNewest) }) as (options: Options) => Request;
      return (options: Options) => replace(known, theirs, options);
    },
  };
}

// ---- Fetch ----

const OFFSET_OUT_OF_RANGE = 1;
/** The first version of the answer that has each member. */
const WITH = { logStart: 5, session: 7, readReplica: 11 };

interface FetchOptions {
  topics: { topic: string; partitions: { partition: number; fetchOffset: string }[] }[];
}

function fetchOf(
  version: number,
  theirs: (options: FetchOptions) => Request,
  options: FetchOptions,
): Request {
  const asked = new Map(
    options.topics.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, fetchOffset }) => [`${topic}/${partition}`, fetchOffset] as const),
    ),
  );
  const decode = async (raw: Buffer) => {
    const decoder = new Decoder(raw);
    const clientSideThrottleTime = decoder.readInt32();
    if (version >= WITH.session) decoder.forward(2 + 4);
    const responses = decoder.readArray(() => {
      const topicName = decoder.readString();
      const partitions = decoder.readArray(() => fetchedPartition(decoder, version, topicName, asked));
      return { topicName, partitions };
    });
    return { throttleTime: 0, clientSideThrottleTime, responses };
  };
  return { ...theirs(options), response: { decode, parse: parseFetch } };
}

// biome-ignore lint/suspicious/noExplicitAny: kafkajs has no types for its decoder.
function fetchedPartition(decoder: any, version: number, topic: string, asked: ReadonlyMap<string, string>) {
  const partition: number = decoder.readInt32();
  const errorCode: number = decoder.readInt16();
  const highWatermark = String(decoder.readInt64());
  const lastStableOffset = String(decoder.readInt64());
  if (version >= WITH.logStart) decoder.readInt64();
  const aborted: Aborted[] = decoder.readArray(() => ({
    producerId: decoder.readInt64(),
    firstOffset: Number(decoder.readInt64()),
  }));
  const preferredReadReplica: number = version >= WITH.readReplica ? decoder.readInt32() : -1;
  const bytes: Buffer = decoder.readBytes() ?? Buffer.alloc(0);
  const isOutOfRange = errorCode === OFFSET_OUT_OF_RANGE;
  const offset = asked.get(`${topic}/${partition}`)!;
  const messages: FetchedPartition[] =
    bytes.length > 0 || isOutOfRange ? [{ offset, bytes, aborted, isOutOfRange }] : [];
  const known = { partition, highWatermark, lastStableOffset, preferredReadReplica, messages };
  return { ...known, errorCode: isOutOfRange ? 0 : errorCode, abortedTransactions: [] };
}

async function parseFetch(data: { responses: { partitions: { errorCode: number }[] }[] }): Promise<unknown> {
  const failed = data.responses.flatMap(({ partitions }) => partitions).find(each => failure(each.errorCode));
  if (failed) throw createErrorFromCode(failed.errorCode);
  return data;
}

// ---- Produce ----

/** The first version whose answer names the records that a broker refuses. */
const PRODUCE_VERSION = 8;
/** Brokers close the connection without an answer at a request of more than 100 MiB. */
const MAX_REQUEST_BYTES = 90 * 1024 * 1024;
const MESSAGE_TOO_LARGE = 10;

interface ProduceOptions {
  acks: number;
  timeout: number;
  transactionalId: string;
  producerId: bigint | string | number;
  producerEpoch: number;
  compression: number;
  topicData: {
    topic: string;
    partitions: { partition: number; firstSequence: number; messages: Outgoing[] }[];
  }[];
}

/** Messages are `Outgoing`. A thrown error names the refused ones in `records`. */
function produceOf(
  version: number,
  theirs: (options: ProduceOptions) => Request,
  options: ProduceOptions,
): Request {
  // Other programs of the same process, such as tests, send messages of kafkajs.
  if (options.topicData.some(({ partitions }) => !('instead' in partitions[0]!.messages[0]!)))
    return theirs(options);
  const { request, response } = theirs(options);
  return {
    request: { ...request, apiVersion: version, encode: () => encodedProduce(options) } as Request['request'],
    response: version < PRODUCE_VERSION ? response : { decode: decodeProduce, parse: parseProduce },
  };
}

async function encodedProduce({
  acks,
  timeout,
  transactionalId,
  producerId,
  producerEpoch,
  compression,
  topicData,
}: ProduceOptions): Promise<unknown> {
  const encoder = new Encoder().writeString(transactionalId).writeInt16(acks).writeInt32(timeout);
  const pieces: Buffer[] = [];
  const piece = (more: { buffer: Buffer }) => pieces.push(Buffer.from(more.buffer));
  piece(encoder.writeInt32(topicData.length));
  for (const { topic, partitions } of topicData) {
    piece(new Encoder().writeString(topic).writeInt32(partitions.length));
    for (const { partition, firstSequence, messages } of partitions) {
      const producer = { producerId: BigInt(producerId), producerEpoch, sequence: firstSequence };
      const batch = await batchOf(messages, producer, compression !== 0);
      if (batch.length > MAX_REQUEST_BYTES) throw createErrorFromCode(MESSAGE_TOO_LARGE);
      piece(new Encoder().writeInt32(partition).writeInt32(batch.length));
      pieces.push(batch);
    }
  }
  // The two members of an encoder that kafkajs uses. A whole encoder would copy the bytes.
  const bytes = Buffer.concat(pieces);
  return { buf: bytes, buffer: bytes };
}

async function decodeProduce(raw: Buffer): Promise<unknown> {
  const decoder = new Decoder(raw);
  const partition = () => {
    const answer = {
      partition: decoder.readInt32(),
      errorCode: decoder.readInt16(),
      baseOffset: String(decoder.readInt64()),
      logAppendTime: String(decoder.readInt64()),
      logStartOffset: String(decoder.readInt64()),
    };
    const records = decoder.readArray(() => ({ at: decoder.readInt32(), why: decoder.readString() }));
    return { ...answer, records, why: decoder.readString() };
  };
  const topics = decoder.readArray(() => ({
    topicName: decoder.readString(),
    partitions: decoder.readArray(partition),
  }));
  return { topics, throttleTime: 0, clientSideThrottleTime: decoder.readInt32() };
}

interface Produced {
  topics: {
    partitions: { errorCode: number; records: RefusedRecord[]; why: string | null }[];
  }[];
}

async function parseProduce(data: Produced): Promise<unknown> {
  const failed = data.topics.flatMap(({ partitions }) => partitions).find(each => failure(each.errorCode));
  if (!failed) return data;
  const error = createErrorFromCode(failed.errorCode);
  const why = failed.records[0]?.why ?? failed.why;
  if (why) error.message = `${error.message}: ${why}`;
  throw Object.assign(error, { records: failed.records });
}

// ---- ListOffsets ----

/** A timestamp of ours, which asks for the end of a partition, with messages whose transactions are open. */
export const HIGH_WATERMARK = -100;
const LATEST = -1;
const READ_UNCOMMITTED = 0;

interface ListOptions {
  isolationLevel?: number;
  topics: { topic: string; partitions: { partition: number; timestamp: number }[] }[];
}

function listOffsetsOf(_: number, theirs: (options: ListOptions) => Request, options: ListOptions): Request {
  const isWanted = options.topics.some(each => each.partitions[0]?.timestamp === HIGH_WATERMARK);
  if (!isWanted) return theirs(options);
  const topics = options.topics.map(({ topic, partitions }) => ({
    topic,
    partitions: partitions.map(({ partition }) => ({ partition, timestamp: LATEST })),
  }));
  return theirs({ ...options, isolationLevel: READ_UNCOMMITTED, topics });
}

// ---- Metadata ----

/** The first version with the ids of topics. */
const METADATA_VERSION = 10;

interface MetadataOptions {
  topics: string[];
  allowAutoTopicCreation?: boolean;
}

/** Each partition has the `topicId` of its topic: kafkajs hands partitions on as they are. */
function metadataOf(
  version: number,
  theirs: (options: MetadataOptions) => Request,
  options: MetadataOptions,
): Request {
  const { request, response } = theirs(options);
  if (version < METADATA_VERSION) return { request, response };
  return {
    request: {
      ...request,
      apiVersion: version,
      encode: async () => encodedMetadata(options),
    } as Request['request'],
    response: { decode: decodeMetadata, parse: response.parse },
  };
}

const NO_ID = Buffer.alloc(16);

/** In this version the header and each member end with tagged fields, which are empty. */
function encodedMetadata({ topics, allowAutoTopicCreation = true }: MetadataOptions): unknown {
  const named = (topic: string) =>
    new Encoder().writeBuffer(NO_ID).writeUVarIntString(topic).writeUVarIntBytes();
  return new Encoder()
    .writeUVarIntBytes()
    .writeUVarIntArray(topics.length === 0 ? null : topics.map(named))
    .writeBoolean(allowAutoTopicCreation)
    .writeBoolean(false)
    .writeBoolean(false)
    .writeUVarIntBytes();
}

async function decodeMetadata(raw: Buffer): Promise<unknown> {
  const decoder = new Decoder(raw);
  const tagged = <T>(member: T): T => {
    decoder.readTaggedFields();
    return member;
  };
  const ids = () => decoder.readUVarIntArray(() => decoder.readInt32());
  const broker = () => {
    const nodeId = decoder.readInt32();
    const [host, port] = [decoder.readUVarIntString(), decoder.readInt32()];
    return tagged({ nodeId, host, port, rack: decoder.readUVarIntString() });
  };
  const partition = (topicId: string) => {
    const [partitionErrorCode, partitionId] = [decoder.readInt16(), decoder.readInt32()];
    const [leader] = [decoder.readInt32(), decoder.readInt32()];
    const [replicas, isr, offlineReplicas] = [ids(), ids(), ids()];
    return tagged({ partitionErrorCode, partitionId, leader, replicas, isr, offlineReplicas, topicId });
  };
  const topic = () => {
    const topicErrorCode = decoder.readInt16();
    const name = decoder.readUVarIntString();
    const topicId = decoder.readBytes(NO_ID.length).toString('base64url');
    const isInternal = decoder.readBoolean();
    const partitionMetadata = decoder.readUVarIntArray(() => partition(topicId));
    decoder.readInt32();
    return tagged({ topicErrorCode, topic: name, isInternal, partitionMetadata });
  };
  decoder.readTaggedFields();
  const clientSideThrottleTime = decoder.readInt32();
  const brokers = decoder.readUVarIntArray(broker);
  const clusterId = decoder.readUVarIntString();
  const controllerId = decoder.readInt32();
  const topicMetadata = decoder.readUVarIntArray(topic);
  return { throttleTime: 0, clientSideThrottleTime, brokers, clusterId, controllerId, topicMetadata };
}
