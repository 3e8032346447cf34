/**
 * Reads a body of Arrow IPC that lies in memory, its stream while it arrives. A file is a stream with a footer that says where each batch
 * is: it is read at its end, by its footer.
 */
import { ByteBuffer } from 'flatbuffers';
import { Footer } from 'apache-arrow/fb/footer';
import { Schema } from 'apache-arrow/fb/schema';
import { Fault, MAX_CELLS, MAX_ROWS } from '../../../assembly/abi.ts';
import { ColumnsError, tooLarge } from '../columns-error.ts';
import type { Sink, Space } from '../field.ts';
import { type Arrived, ArrowMessages, messageIn } from './messages.ts';
import { damaged } from './record-batch.ts';

export const MAGIC = 'ARROW1';
const CONTINUATION = 0xffffffff;

/** So many times the bytes of the largest body may be read: a footer and buffers may name the same bytes again and again. */
const READ_OF_BODY = 4;

interface Located extends Arrived {
  /** The offset of the next message. */
  end: number;
}

export class ArrowReader {
  /** Rows so far. */
  rows = 0;
  readonly #messages: ArrowMessages;
  readonly #space: Space;
  readonly #sink: Sink;
  /** The address of the body. */
  readonly #at: number;
  readonly #maxBytes: number;
  /** Bytes of metadata and compressed buffers that may still be read. */
  #bytesLeft: number;
  #isFile: boolean | null = null;
  #ended = false;
  #hasBegun = false;
  #offset = 0;
  /** Bytes that the next message needs. */
  #needed = 8;

  /** `maxBytes`: of a whole body. */
  constructor(space: Space, at: number, sink: Sink, maxBytes: number) {
    this.#space = space;
    this.#at = at;
    this.#sink = sink;
    this.#maxBytes = maxBytes;
    this.#bytesLeft = READ_OF_BODY * maxBytes;
    this.#messages = new ArrowMessages(space, {
      checkRows: (rows, fields) => this.#checkRows(rows, fields),
      countPacked: bytes => this.#countRead(bytes),
    });
  }

  /** Reads the messages that are complete among the first `total` bytes. Throws `ColumnsError`. */
  advance(total: number): void {
    if (total < 8) return;
    this.#isFile ??= this.#text(0, MAGIC.length) === MAGIC;
    if (this.#isFile) return;
    while (!this.#ended && total >= this.#needed) {
      const read = this.#messageAt(this.#offset, total);
      if (read === null) return;
      if (read === END) this.#ended = true;
      else this.#take(read);
      this.#offset = read === END ? this.#needed : read.end;
      if (read !== END) this.#needed = this.#offset + 4;
    }
    if (this.#ended && total > this.#offset)
      throw new ColumnsError(
        `The Arrow stream ends at byte ${this.#offset}, and ${total - this.#offset} bytes follow: send one stream`,
      );
  }

  /** The body is complete, with `total` bytes. Throws `ColumnsError`. */
  end(total: number): void {
    this.advance(total);
    if (this.#isFile) this.#readFile(total);
    else if (!this.#ended && this.#offset < total)
      throw new ColumnsError(
        `The Arrow stream is cut: it ends inside the message that begins at byte ${this.#offset}`,
      );
    if (this.#messages.fields === null) throw new ColumnsError('The Arrow stream has no schema');
  }

  // ---- a file ----

  #readFile(total: number): void {
    const footer = footerOf((from, length) => this.#copy(from, length), total);
    this.#messages.readSchema(footer.schema(new Schema()));
    this.#begin();
    for (const offset of blocksOf(footer)) {
      const read = offset >= 8 && offset <= total - 8 ? this.#messageAt(offset, total) : null;
      if (read === null || read === END) throw notThere(offset);
      this.#take(read);
    }
  }

  // ---- messages ----

  /** Null where bytes are missing: `#needed` says how many there must be. */
  #messageAt(offset: number, total: number): Located | typeof END | null {
    this.#needed = offset + 8;
    const view = new DataView(this.#space.bytes().buffer);
    // Before version 0.15 the length had no mark before it, so an end may be four bytes.
    const marked = total >= offset + 4 && view.getUint32(this.#at + offset, true) === CONTINUATION;
    const metadataAt = offset + (marked ? 8 : 4);
    this.#needed = metadataAt;
    if (total < metadataAt) return null;
    const length = view.getInt32(this.#at + metadataAt - 4, true);
    if (length === 0) return END;
    checkLength(length, offset, this.#maxBytes);
    this.#needed = metadataAt + length;
    if (total < this.#needed) return null;
    this.#countRead(length);
    const { message, bodyLength } = messageIn(this.#copy(metadataAt, length), offset, this.#maxBytes);
    this.#needed += bodyLength;
    if (total < this.#needed) return null;
    return { message, bodyAt: this.#at + metadataAt + length, bodyLength, end: this.#needed };
  }

  #take(arrived: Located): void {
    const rows = this.#messages.take(arrived);
    this.#begin();
    if (rows === null) return;
    this.#sink.append(rows);
    this.rows += rows.rows;
  }

  #begin(): void {
    if (this.#hasBegun || this.#messages.fields === null) return;
    this.#sink.begin(this.#messages.fields);
    this.#hasBegun = true;
  }

  #checkRows(rows: bigint, fields: number): void {
    if (rows > BigInt(MAX_ROWS - this.rows)) throw tooLarge(Fault.ROWS);
    if ((this.rows + Number(rows)) * fields > MAX_CELLS) throw tooLarge(Fault.CELLS);
  }

  #countRead(bytes: number): void {
    this.#bytesLeft -= bytes;
    if (this.#bytesLeft < 0) throw damaged('its messages or buffers name the same bytes again and again');
  }

  // ---- bytes ----

  #copy(offset: number, length: number): Uint8Array {
    return this.#space.bytes().slice(this.#at + offset, this.#at + offset + length);
  }

  #text(offset: number, length: number): string {
    return String.fromCharCode(...this.#copy(offset, length));
  }
}

const END = Symbol('end of the stream');

/** Of a message's metadata. Throws `ColumnsError`. */
export function checkLength(length: number, offset: number, maxBytes: number): void {
  if (length >= 0 && length <= maxBytes) return;
  throw offset === 0
    ? new ColumnsError('The body is not an Arrow stream: it does not begin with a message')
    : damaged(`the message at byte ${offset} has metadata of ${length} bytes`);
}

/** Throws `ColumnsError`. */
export function footerOf(read: (from: number, length: number) => Uint8Array, size: number): Footer {
  const end = size < 2 * MAGIC.length + 4 ? null : read(size - MAGIC.length - 4, MAGIC.length + 4);
  if (end === null || String.fromCharCode(...end.subarray(4)) !== MAGIC)
    throw new ColumnsError('The Arrow file is cut: it does not end with its footer');
  const length = new DataView(end.buffer, end.byteOffset).getInt32(0, true);
  const at = size - MAGIC.length - 4 - length;
  if (length <= 0 || at < MAGIC.length) throw damaged(`its footer has the length ${length}`);
  return Footer.getRootAsFooter(new ByteBuffer(read(at, length)));
}

/** Where the dictionaries of a file begin, then its record batches. */
export function* blocksOf(footer: Footer): Generator<number> {
  for (let i = 0; i < footer.dictionariesLength(); i++) yield Number(footer.dictionaries(i)?.offset() ?? -1n);
  for (let i = 0; i < footer.recordBatchesLength(); i++)
    yield Number(footer.recordBatches(i)?.offset() ?? -1n);
}

export const notThere = (offset: number): ColumnsError =>
  damaged(`its footer names a batch at byte ${offset}, where none is`);
