/**
 * Reads Arrow IPC that lies in memory, its stream while it arrives. A file is a stream with a footer that says where each batch is: it is
 * read at its end, by its footer. Buffers stay where they are; only metadata is decoded, by the accessors of apache-arrow.
 */

import { DictionaryBatch } from 'apache-arrow/fb/dictionary-batch';
import { Endianness } from 'apache-arrow/fb/endianness';
import { Footer } from 'apache-arrow/fb/footer';
import { Message } from 'apache-arrow/fb/message';
import { MessageHeader } from 'apache-arrow/fb/message-header';
import { RecordBatch } from 'apache-arrow/fb/record-batch';
import { Schema } from 'apache-arrow/fb/schema';
import { ByteBuffer } from 'flatbuffers';
import { Fault, MAX_CELLS, MAX_ROWS } from '../../../assembly/abi.ts';
import type { Pieces } from '../../cooperative-yield.ts';
import { ColumnsError, tooLarge } from '../columns-error.ts';
import type { Dictionaries, Field, Sink, Space, Vector } from '../field.ts';
import { concatenated } from './delta.ts';
import { damaged, type Located, vectorsOf } from './record-batch.ts';
import { fieldsOf } from './schema.ts';

const MAGIC = 'ARROW1';
const CONTINUATION = 0xffffffff;
/** Messages of one body: empty record batches cost nothing else. */
const MAX_MESSAGES = 100_000;

/** A message whose body is there. */
interface Read {
  message: Message;
  bodyAt: number;
  bodyLength: number;
  /** The offset of the next one. */
  end: number;
}

export class ArrowReader {
  /** Rows so far. */
  rows = 0;
  readonly #space: Space;
  readonly #sink: Sink;
  /** The address of the body. */
  readonly #at: number;
  readonly #maxBytes: number;
  readonly #maxRows: number;
  #fields: Field[] | null = null;
  /** Every field with a dictionary, by the dictionary's id. */
  readonly #encoded = new Map<bigint, Field>();
  readonly #dictionaries = new Map<bigint, Vector>();
  #isFile: boolean | null = null;
  #isBigEndian = false;
  #ended = false;
  #offset = 0;
  #messages = 0;
  /** Bytes that the next message needs. */
  #needed = 8;

  /** `maxBytes`: of a whole body. */
  constructor(space: Space, at: number, sink: Sink, maxBytes: number, maxRows = MAX_ROWS) {
    this.#space = space;
    this.#at = at;
    this.#sink = sink;
    this.#maxBytes = maxBytes;
    this.#maxRows = maxRows;
  }

  /** Reads the messages that are complete among the first `total` bytes. Throws `ColumnsError`. */
  *advancing(total: number): Pieces<void> {
    if (total < 8) return;
    this.#isFile ??= this.#text(0, MAGIC.length) === MAGIC;
    if (this.#isFile) return;
    while (!this.#ended && total >= this.#needed) {
      const read = this.#messageAt(this.#offset, total);
      if (read === null) return;
      if (read !== END) yield* this.#take(read);
      this.#offset = read === END ? this.#needed : read.end;
      if (read !== END) this.#needed = this.#offset + 4;
      this.#ended = read === END;
    }
    if (this.#ended && total > this.#offset)
      throw new ColumnsError(
        `The Arrow stream ends at byte ${this.#offset}, and ${total - this.#offset} bytes follow: send one stream`,
      );
  }

  /** The body is complete, with `total` bytes. Throws `ColumnsError`. */
  *ending(total: number): Pieces<void> {
    yield* this.advancing(total);
    if (this.#isFile) yield* this.#readFile(total);
    else if (!this.#ended && this.#offset < total)
      throw new ColumnsError(
        `The Arrow stream is cut: it ends inside the message that begins at byte ${this.#offset}`,
      );
    if (this.#fields === null) throw new ColumnsError('The Arrow stream has no schema');
  }

  // ---- a file ----

  *#readFile(total: number): Pieces<void> {
    const footer = this.#footer(total);
    if (this.#fields === null) {
      const schema = footer.schema(new Schema());
      if (schema === null) throw damaged('its footer has no schema');
      this.#readSchema(schema);
    }
    for (let i = 0; i < footer.dictionariesLength(); i++) {
      yield* this.#readBlock(footer.dictionaries(i), total);
    }
    for (let i = 0; i < footer.recordBatchesLength(); i++) {
      yield* this.#readBlock(footer.recordBatches(i), total);
    }
  }

  #footer(total: number): Footer {
    const cut = 'The Arrow file is cut: it does not end with its footer';
    if (total < 2 * MAGIC.length + 4 || this.#text(total - MAGIC.length, MAGIC.length) !== MAGIC)
      throw new ColumnsError(cut);
    const length = this.#view().getInt32(this.#at + total - MAGIC.length - 4, true);
    const at = total - MAGIC.length - 4 - length;
    if (length <= 0 || at < MAGIC.length) throw damaged(`its footer has the length ${length}`);
    return Footer.getRootAsFooter(new ByteBuffer(this.#copy(at, length)));
  }

  *#readBlock(block: { offset(): bigint } | null, total: number): Pieces<void> {
    const offset = Number(block?.offset() ?? -1n);
    const read = offset >= 8 && offset <= total - 8 ? this.#messageAt(offset, total) : null;
    if (read === null || read === END)
      throw damaged(`its footer names a batch at byte ${offset}, where none is`);
    yield* this.#take(read);
  }

  // ---- messages ----

  /** Null where bytes are missing: `#needed` says how many there must be. */
  #messageAt(offset: number, total: number): Read | typeof END | null {
    this.#needed = offset + 8;
    const view = this.#view();
    // Before version 0.15 the length had no mark before it, so an end may be four bytes.
    const marked = total >= offset + 4 && view.getUint32(this.#at + offset, true) === CONTINUATION;
    const metadataAt = offset + (marked ? 8 : 4);
    this.#needed = metadataAt;
    if (total < metadataAt) return null;
    const length = view.getInt32(this.#at + metadataAt - 4, true);
    if (length === 0) return END;
    if (length < 0 || length > this.#maxBytes)
      throw offset === 0
        ? notArrow()
        : damaged(`the message at byte ${offset} has metadata of ${length} bytes`);
    this.#needed = metadataAt + length;
    if (total < this.#needed) return null;
    const message = Message.getRootAsMessage(new ByteBuffer(this.#copy(metadataAt, length)));
    const bodyLength = Number(message.bodyLength());
    if (bodyLength < 0 || bodyLength > this.#maxBytes)
      throw damaged(`the message at byte ${offset} has a body of ${bodyLength} bytes`);
    this.#needed += bodyLength;
    if (total < this.#needed) return null;
    return { message, bodyAt: this.#at + metadataAt + length, bodyLength, end: this.#needed };
  }

  *#take({ message, bodyAt, bodyLength }: Read): Pieces<void> {
    yield;
    if (++this.#messages > MAX_MESSAGES) throw damaged('it has too many messages');
    if (message.headerType() !== MessageHeader.NONE && message.header(new Schema()) === null)
      throw damaged('a message has no content');
    const located = { bodyAt, bodyLength, space: this.#space, isBigEndian: this.#isBigEndian };
    switch (message.headerType()) {
      case MessageHeader.Schema:
        if (this.#fields !== null) throw damaged('it has two schemas');
        this.#readSchema(message.header(new Schema()) as Schema);
        break;
      case MessageHeader.DictionaryBatch:
        yield* this.#readDictionary(message.header(new DictionaryBatch()) as DictionaryBatch, located);
        break;
      case MessageHeader.RecordBatch:
        yield* this.#readBatch(message.header(new RecordBatch()) as RecordBatch, located);
        break;
      default:
        throw new ColumnsError('The Arrow data holds a message that is no table: tensors are not read');
    }
  }

  #readSchema(schema: Schema | null): void {
    if (schema === null) throw damaged('its schema is missing');
    this.#fields = fieldsOf(schema);
    this.#isBigEndian = schema.endianness() === Endianness.Big;
    this.#note(this.#fields);
    this.#sink.begin(this.#fields);
  }

  #note(fields: Field[]): void {
    for (const field of fields) {
      if (field.dictionary) this.#encoded.set(field.dictionary.id, field);
      this.#note(field.children);
    }
  }

  *#readDictionary(batch: DictionaryBatch, located: Omit<Located, 'metadata'>): Pieces<void> {
    const id = batch.id();
    const [field, metadata] = [this.#encoded.get(id), batch.data()];
    if (field === undefined || metadata === null) throw damaged(`no column has the dictionary ${id}`);
    const { vectors } = yield* vectorsOf([{ ...field, dictionary: null }], { ...located, metadata });
    const entries = vectors[0]!;
    const before = this.#dictionaries.get(id);
    const isDelta = batch.isDelta() && before !== undefined;
    this.#dictionaries.set(id, isDelta ? concatenated(before, entries, this.#space) : entries);
  }

  *#readBatch(metadata: RecordBatch, located: Omit<Located, 'metadata'>): Pieces<void> {
    if (this.#fields === null) throw damaged('a record batch comes before the schema');
    const length = metadata.length();
    if (length > BigInt(this.#maxRows - this.rows)) throw tooLarge(Fault.ROWS);
    if ((this.rows + Number(length)) * this.#fields.length > MAX_CELLS && this.#maxRows === MAX_ROWS)
      throw tooLarge(Fault.CELLS);
    const { vectors, rows } = yield* vectorsOf(this.#fields, { ...located, metadata });
    yield* this.#sink.append(vectors, rows, this.#dictionaries as Dictionaries);
    this.rows += rows;
  }

  // ---- bytes ----

  #view(): DataView {
    return new DataView(this.#space.bytes().buffer);
  }

  #copy(offset: number, length: number): Uint8Array {
    return this.#space.bytes().slice(this.#at + offset, this.#at + offset + length);
  }

  #text(offset: number, length: number): string {
    return String.fromCharCode(...this.#copy(offset, length));
  }
}

const END = Symbol('end of the stream');

const notArrow = () => new ColumnsError('The body is not an Arrow stream: it does not begin with a message');
