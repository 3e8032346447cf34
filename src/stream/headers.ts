/**
 * Headers of a message, kept as the bytes that Kafka stores. A producer chooses their names, number and order: a name may repeat,
 * be empty, be `__proto__`, or not be UTF-8. We only search them for a name, and pass all headers on unchanged.
 */
import { sizeOfInt, sizeOfSized, VarintReader, VarintWriter } from './varint.ts';

export class MessageHeaders {
  static readonly NONE = new MessageHeaders(0, Buffer.alloc(0));

  /** `bytes`: each name with its length, and each value with its length, which is -1 for null. */
  constructor(
    readonly count: number,
    readonly bytes: Buffer,
  ) {}

  /** The value of the last header with this name; undefined if no header has it. Throws `RangeError` if the bytes are damaged. */
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

  /** A copy with more headers at its end. */
  with(added: readonly (readonly [name: string, value: string])[]): MessageHeaders {
    const texts = added.flat().map(text => Buffer.from(text));
    const size = texts.reduce((sum, text) => sum + sizeOfSized(text), this.bytes.length);
    const writer = new VarintWriter(Buffer.allocUnsafe(size)).put(this.bytes);
    for (const text of texts) writer.sized(text);
    return new MessageHeaders(this.count + added.length, writer.bytes);
  }

  /** Bytes that the headers take in a record, with their count. */
  get size(): number {
    return sizeOfInt(this.count) + this.bytes.length;
  }
}
