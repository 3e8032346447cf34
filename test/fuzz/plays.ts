/** What is read in the process of the fuzzer's host. `FUZZ_ROOT` names the checkout whose sources read. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Format, MAX_ROWS, Status } from '../../assembly/abi.ts';

/** Does a piece of work that nothing interrupts, and measures it. */
export type Step = <T>(work: () => T) => T;
/** Reads the bytes. Throws only if the program is wrong. */
export type Play = (bytes: Uint8Array<ArrayBuffer>, step: Step) => void | Promise<void>;

/** Of one input: its longest step, and what the program did wrong. */
export interface Played {
  ms: number;
  problem: string | null;
}

/** Set by the process that starts this one. */
const { FUZZ_ROOT: ROOT } = process.env as { FUZZ_ROOT: string };
const sourceOf = (path: string) => import(join(ROOT, path));

const MAX_BODY_BYTES = 32 * 1024 * 1024;

const columns = async (formatOf: (bytes: Uint8Array) => Format): Promise<Play> => {
  const { compileEngine, Engine }: typeof import('../../src/engine/engine.ts') =
    await sourceOf('src/engine/engine.ts');
  const { rejectionOf }: typeof import('../../src/intake/refusals.ts') =
    await sourceOf('src/intake/refusals.ts');
  const wasm = await Bun.file(join(ROOT, 'build/engine.wasm')).bytes();
  const engine = new Engine(await compileEngine(wasm), MAX_BODY_BYTES);
  return (bytes, step) => {
    if (bytes.length > MAX_BODY_BYTES) return;
    const format = formatOf(bytes);
    engine.begin({ format, delimiter: 0x2c, salt: new Uint8Array(32) });
    let status = step(() => engine.write(bytes));
    if (status !== Status.FAILED) status = step(() => engine.read());
    if (status !== Status.FAILED) status = step(() => engine.end());
    if (status === Status.DONE) step(() => engine.measure(MAX_ROWS));
    else rejectionOf(engine.refusal(), format);
  };
};

async function yaml(): Promise<Play> {
  const { DocumentError, readDocument }: typeof import('../../src/documents/document-text.ts') =
    await sourceOf('src/documents/document-text.ts');
  const { IMPORT_FORMATS, importRules }: typeof import('../../src/rules/interchange/import.ts') =
    await sourceOf('src/rules/interchange/import.ts');
  const { Rejection }: typeof import('../../src/terms/errors.ts') = await sourceOf('src/terms/errors.ts');
  return (bytes, step) => {
    try {
      const { value } = step(() => readDocument(bytes));
      for (const format of IMPORT_FORMATS)
        try {
          step(() => importRules(format, value));
        } catch (error) {
          if (!(error instanceof Rejection)) throw error;
        }
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
    }
  };
}

/** Record batches are read, and what was read is written again: a message that cannot be written stops its partition. */
const kafka = (): Promise<Play> =>
  existsSync(join(ROOT, 'src/stream/kafka/record-batches.ts')) ? ownBatches() : batchesOfKafkajs();

async function ownBatches(): Promise<Play> {
  const { batchOf, readBatches } = await sourceOf('src/stream/kafka/record-batches.ts');
  const { partsOf } = await sourceOf('src/stream/kafka/records.ts');
  const { KafkaFailure } = await sourceOf('src/stream/port.ts');
  const producer = { producerId: 1n, producerEpoch: 0, sequence: 0 };
  const read = async (bytes: ArrayBuffer, from: number) => {
    try {
      return await readBatches({ bytes: Buffer.from(bytes), aborted: [], from, mostBytes: MAX_BODY_BYTES });
    } catch (error) {
      if (error instanceof KafkaFailure) return { messages: [], next: from };
      throw error;
    }
  };
  return async (bytes, step) => {
    for (let from = 0; ; ) {
      const { messages, next } = await step(() => read(bytes.buffer, from));
      const outgoing = messages.map((message: object) => ({
        ...message,
        topic: 'clean',
        partition: 0,
        instead: null,
      }));
      for (const part of step(() => [...partsOf(outgoing)]))
        await step(() => batchOf(part.messages, producer, part.isCompressed));
      if (!(next > from)) return;
      from = next;
    }
  };
}

/** Of a checkout from before there were readers and writers of our own, in which the fuzzer is to find what they have mended. */
async function batchesOfKafkajs(): Promise<Play> {
  const { openClient } = await sourceOf('src/stream/kafka/client.ts');
  const records = await sourceOf('src/stream/kafka/records.ts');
  const { default: pino } = await import('pino');
  openClient({ brokers: ['localhost:1'], tls: null, sasl: null }, pino({ level: 'silent' }));
  const kafkajs = (path: string) => require(join(ROOT, 'node_modules/kafkajs/src', path));
  const decodeMessages = kafkajs('protocol/requests/fetch/v4/decodeMessages.js');
  const Decoder = kafkajs('protocol/decoder.js');
  const Batch = kafkajs('consumer/batch.js');
  const produce = kafkajs('protocol/requests/produce/v7/request.js');
  return async (bytes, step) => {
    const sized = Buffer.alloc(4 + bytes.length);
    sized.writeInt32BE(bytes.length);
    sized.set(bytes, 4);
    const read = await step(() => decodeMessages(new Decoder(sized))).catch((error: Error) => error);
    if (read instanceof Error) return;
    const partition = { partition: 0, highWatermark: '1', abortedTransactions: [], messages: read };
    const messages: object[] = step(() => records.messagesOf(new Batch('t', '0', partition)));
    const outgoing = messages.map(message => ({ ...message, topic: 'clean', partition: 0 }));
    for (const part of step(() => [...records.partsOf(outgoing)])) {
      const topicData = part.map(({ topic, messages }: { topic: string; messages: object[] }) => ({
        topic,
        partitions: [{ partition: 0, messages }],
      }));
      await step(() => produce({ acks: -1, timeout: 1000, transactionalId: 't', topicData }).encode());
    }
  };
}

const isArrowFile = (bytes: Uint8Array) => String.fromCharCode(...bytes.subarray(0, 6)) === 'ARROW1';

export const PLAYS: Record<string, () => Promise<Play>> = {
  parquet: () => columns(() => Format.PARQUET),
  arrow: () => columns(bytes => (isArrowFile(bytes) ? Format.ARROW_FILE : Format.ARROW)),
  yaml,
  kafka,
};
