/** Reads an Arrow stream or file of any length, message by message. Keeps one record batch and the dictionaries. */

import { MessageHeader } from 'apache-arrow/fb/message-header';
import { Schema } from 'apache-arrow/fb/schema';
import { ColumnsError } from '../columns-error.ts';
import type { Field, Region, Rows, Vector } from '../field.ts';
import { HostSpace } from '../host-space.ts';
import type { Source } from '../source.ts';
import { ArrowMessages, messageIn } from './messages.ts';
import { blocksOf, checkLength, footerOf, MAGIC, notThere } from './reader.ts';

/** Replaced dictionaries may take so much before memory is put in order. */
const SLACK_BYTES = 32 * 1024 * 1024;

export class ArrowFile {
  readonly #source: Source;
  readonly #messages: ArrowMessages;
  readonly #maxBytes: number;
  #space: HostSpace;
  #kept: number;
  #keptAfterOrder = 0;

  /** `maxBytes`: of one record batch with its dictionaries, decompressed. */
  constructor(source: Source, maxBytes: number) {
    this.#source = source;
    this.#maxBytes = maxBytes;
    this.#space = this.#newSpace();
    this.#kept = this.#space.used;
    const space = {
      bytes: () => this.#space.bytes(),
      allocate: (length: number) => this.#space.allocate(length),
    };
    this.#messages = new ArrowMessages(space, { checkRows() {}, countPacked() {} });
  }

  /** The memory of the last rows. */
  get memory(): Uint8Array<ArrayBuffer> {
    return this.#space.bytes();
  }

  get fields(): Field[] {
    return this.#messages.fields ?? [];
  }

  /** Rows are valid until the next ones. The first item comes with the schema and may have none. Throws `ColumnsError`. */
  *rows(): Generator<Rows> {
    const { size } = this.#source;
    const isFile =
      size >= MAGIC.length && String.fromCharCode(...this.#source.read(0, MAGIC.length)) === MAGIC;
    if (isFile) {
      const footer = footerOf((from, length) => this.#source.read(from, length), size);
      this.#messages.readSchema(footer.schema(new Schema()));
      for (const offset of blocksOf(footer)) {
        if (!(offset >= 8 && offset <= size - 8)) throw notThere(offset);
        const { rows } = this.#messageAt(offset);
        if (rows !== null) yield rows;
      }
    } else
      for (let offset = 0; offset < size; ) {
        const { rows, end } = this.#messageAt(offset);
        if (rows !== null) yield rows;
        if (end === null) break;
        offset = end;
      }
    if (this.#messages.fields === null) throw new ColumnsError('The Arrow stream has no schema');
  }

  /** `end`: where the next message begins; null at the end of the stream. */
  #messageAt(offset: number): { rows: Rows | null; end: number | null } {
    const { size } = this.#source;
    const head = this.#source.read(offset, Math.min(8, size - offset));
    const view = new DataView(head.buffer, head.byteOffset, head.length);
    const isMarked = head.length >= 4 && view.getUint32(0, true) === 0xffffffff;
    const metadataAt = offset + (isMarked ? 8 : 4);
    if (head.length < metadataAt - offset) throw cut(offset);
    const length = view.getInt32(isMarked ? 4 : 0, true);
    if (length === 0) return { rows: null, end: null };
    checkLength(length, offset, this.#maxBytes);
    const bodyAt = metadataAt + length;
    if (bodyAt > size) throw cut(offset);
    const { message, bodyLength } = messageIn(
      this.#source.read(metadataAt, length),
      offset,
      Number.MAX_SAFE_INTEGER,
    );
    if (bodyAt + bodyLength > size) throw cut(offset);
    this.#space.reset(this.#kept);
    const at = this.#space.allocate(bodyLength);
    this.#source.readInto(this.#space.bytes().subarray(at, at + bodyLength), bodyAt);
    const rows = this.#messages.take({ message, bodyAt: at, bodyLength });
    if (message.headerType() === MessageHeader.DictionaryBatch) this.#keep();
    return { rows, end: bodyAt + bodyLength };
  }

  /** Keeps the dictionary that has just been read. */
  #keep(): void {
    this.#kept = this.#space.used;
    if (this.#kept < 2 * this.#keptAfterOrder + SLACK_BYTES) return;
    const [old, fresh] = [this.#space.bytes(), this.#newSpace()];
    for (const [id, vector] of this.#messages.dictionaries)
      this.#messages.dictionaries.set(id, moved(vector, old, fresh));
    this.#space = fresh;
    this.#kept = this.#keptAfterOrder = fresh.used;
  }

  #newSpace(): HostSpace {
    return new HostSpace('A record batch with its dictionaries', this.#maxBytes);
  }
}

function moved(vector: Vector, from: Uint8Array, to: HostSpace): Vector {
  const region = ({ at, length }: Region): Region => {
    if (length === 0) return { at: 0, length };
    const target = to.allocate(length);
    to.bytes().set(from.subarray(at, at + length), target);
    return { at: target, length };
  };
  return {
    ...vector,
    validity: vector.validity && region(vector.validity),
    offsets: region(vector.offsets),
    values: region(vector.values),
    buffers: vector.buffers.map(region),
    children: vector.children.map(child => moved(child, from, to)),
  };
}

const cut = (offset: number): ColumnsError =>
  new ColumnsError(`The Arrow data is cut: it ends inside the message that begins at byte ${offset}`);
