/**
 * Headers of a message, kept as the bytes that Kafka stores. A producer chooses their names, number and order: names may repeat,
 * be empty, be called `__proto__`, or be no UTF-8. Nothing but a name that we look for is read, so all of them stay as they are.
 */
import { sizeOfInt, sizeOfSized, VarintReader, VarintWriter } from './varint.ts';

export class MessageHeaders {
  static readonly NONE = new MessageHeaders(0, Buffer.alloc(0));

  /** `bytes`: each name with its length, and each value with its length, which is -1 for null. */
  constructor(
    readonly count: number,
    readonly bytes: Buffer,
  ) {}

  /** The value of the last header of this name; undefined: there is none. Throws `RangeError` for bytes that are no headers. */
  last(name: string): Buffer | null | undefined {
    const wanted = Buffer.from(name);
    const reader = new VarintReader(this.bytes);
    let found: Buffer | null | undefined;
    while (!reader.isAtEnd) {
      const isWanted = reader.sized()?.equals(wanted);
      const value = reader.sized();
      if (isWanted) found = value;
    }
    return found;
  }

  /** These, and then more. */
  with(added: readonly (readonly [name: string, value: string])[]): MessageHeaders {
    const texts = added.flat().map(text => Buffer.from(text));
    const size = texts.reduce((sum, text) => sum + sizeOfSized(text), this.bytes.length);
    const writer = new VarintWriter(Buffer.allocUnsafe(size)).put(this.bytes);
    for (const text of texts) writer.sized(text);
    return new MessageHeaders(this.count + added.length, writer.bytes);
  }

  /** Of the headers in a record. */
  get size(): number {
    return sizeOfInt(this.count) + this.bytes.length;
  }
}
