/** The messages of Arrow IPC: schema, dictionaries and record batches. Buffers stay where they are; only metadata is decoded, by the accessors of apache-arrow. */
import { ByteBuffer } from 'flatbuffers';
import { DictionaryBatch } from 'apache-arrow/fb/dictionary-batch';
import { Endianness } from 'apache-arrow/fb/endianness';
import { Message } from 'apache-arrow/fb/message';
import { MessageHeader } from 'apache-arrow/fb/message-header';
import { RecordBatch } from 'apache-arrow/fb/record-batch';
import { Schema } from 'apache-arrow/fb/schema';
import { ColumnsError } from '../columns-error.ts';
import type { Field, Rows, Space, Vector } from '../field.ts';
import { concatenated } from './delta.ts';
import { damaged, type Located, vectorsOf } from './record-batch.ts';
import { fieldsOf } from './schema.ts';

/** Messages of one body: empty record batches cost nothing else. */
const MAX_MESSAGES = 100_000;

/** A message, and where its body is. */
export interface Arrived {
  message: Message;
  bodyAt: number;
  bodyLength: number;
}

/** Throws `ColumnsError` where the body would be longer than `maxBytes`. */
export function messageIn(
  metadata: Uint8Array,
  offset: number,
  maxBytes: number,
): { message: Message; bodyLength: number } {
  const message = Message.getRootAsMessage(new ByteBuffer(metadata));
  const bodyLength = Number(message.bodyLength());
  if (bodyLength < 0 || bodyLength > maxBytes)
    throw damaged(`the message at byte ${offset} has a body of ${bodyLength} bytes`);
  return { message, bodyLength };
}

/** Each method throws `ColumnsError` if there is too much. */
export interface Limits {
  /** `rows`: of one record batch. */
  checkRows(rows: bigint, fields: number): void;
  /** `bytes`: of one compressed buffer. */
  countPacked(bytes: number): void;
}

export class ArrowMessages {
  /** Null before the schema. */
  fields: Field[] | null = null;
  readonly dictionaries = new Map<bigint, Vector>();
  readonly #space: Space;
  readonly #limits: Limits;
  /** Every field with a dictionary, by the dictionary's id. */
  readonly #encoded = new Map<bigint, Field>();
  #isBigEndian = false;
  #messages = 0;

  constructor(space: Space, limits: Limits) {
    this.#space = space;
    this.#limits = limits;
  }

  /** Null where the message has no rows. Throws `ColumnsError`. */
  take({ message, bodyAt, bodyLength }: Arrived): Rows | null {
    if (++this.#messages > MAX_MESSAGES) throw damaged('it has too many messages');
    if (message.headerType() !== MessageHeader.NONE && message.header(new Schema()) === null)
      throw damaged('a message has no content');
    const { countPacked } = this.#limits;
    const located = { bodyAt, bodyLength, space: this.#space, isBigEndian: this.#isBigEndian, countPacked };
    switch (message.headerType()) {
      case MessageHeader.Schema:
        if (this.fields !== null) throw damaged('it has two schemas');
        this.readSchema(message.header(new Schema()) as Schema);
        return null;
      case MessageHeader.DictionaryBatch:
        this.#readDictionary(message.header(new DictionaryBatch()) as DictionaryBatch, located);
        return null;
      case MessageHeader.RecordBatch:
        return this.#readBatch(message.header(new RecordBatch()) as RecordBatch, located);
      default:
        throw new ColumnsError('The Arrow data holds a message that is no table: tensors are not read');
    }
  }

  readSchema(schema: Schema | null): void {
    if (schema === null) throw damaged('its schema is missing');
    this.fields = fieldsOf(schema);
    this.#isBigEndian = schema.endianness() === Endianness.Big;
    this.#note(this.fields);
  }

  #note(fields: Field[]): void {
    for (const field of fields) {
      if (field.dictionary) this.#encoded.set(field.dictionary.id, field);
      this.#note(field.children);
    }
  }

  #readDictionary(batch: DictionaryBatch, located: Omit<Located, 'metadata'>): void {
    const id = batch.id();
    const [field, metadata] = [this.#encoded.get(id), batch.data()];
    if (field === undefined || metadata === null) throw damaged(`no column has the dictionary ${id}`);
    const { vectors } = vectorsOf([{ ...field, dictionary: null }], { ...located, metadata });
    const entries = vectors[0]!;
    const before = this.dictionaries.get(id);
    const isDelta = batch.isDelta() && before !== undefined;
    this.dictionaries.set(id, isDelta ? concatenated(before, entries, this.#space) : entries);
  }

  #readBatch(metadata: RecordBatch, located: Omit<Located, 'metadata'>): Rows {
    if (this.fields === null) throw damaged('a record batch comes before the schema');
    this.#limits.checkRows(metadata.length(), this.fields.length);
    const { vectors, rows } = vectorsOf(this.fields, { ...located, metadata });
    return { vectors, rows, dictionaries: this.dictionaries };
  }
}
