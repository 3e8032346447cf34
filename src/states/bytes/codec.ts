/**
 * How values are written as bytes and read back: one description for both. A record lists its fields in the order of the bytes; the compiler refuses a description that lacks one.
 *
 * Bytes may come from anywhere. What is read has the form that merging and describing rely on, or `DamagedBytes` is thrown; nothing is allocated that has no bytes behind it, and never more
 * than MAX_READ_BYTES in all.
 */
import { ByteReader, type ByteWriter, DamagedBytes } from '../../baseline/bytes.ts';

export interface Codec<Value> {
  /** Says what is written, in order. Programs whose layouts differ cannot read each other's bytes. */
  readonly layout: string;
  write(writer: ByteWriter, value: Value): void;
  /** Throws `DamagedBytes`. */
  read(reader: BoundedReader): Value;
}

/** Memory for the lists and arrays of all that is read. */
const MAX_READ_BYTES = 512 * 1024 * 1024;
/** About what an item takes beside its arrays. */
const ITEM_BYTES = 256;
export const F64_BYTES = 8;

/** Its content may be small and what is made of it large: a count takes one byte, and eight in memory. */
export class BoundedReader extends ByteReader {
  #left = MAX_READ_BYTES;

  /** How many items follow. Each has at least one byte. */
  items(most: number, itemBytes: number): number {
    const items = this.count();
    check(items <= most && items <= this.left, `${items} items`);
    this.#left -= items * itemBytes;
    check(this.#left >= 0, `more than ${MAX_READ_BYTES} bytes of memory`);
    return items;
  }
}

export function check(isRight: boolean, what: string): asserts isRight {
  if (!isRight) throw new DamagedBytes(what);
}

// ---- single values ----

/** A whole number from 0 to `most`. */
export const count = (most = Number.MAX_SAFE_INTEGER): Codec<number> => ({
  layout: 'count',
  write: (writer, value) => writer.count(value),
  read(reader) {
    const value = reader.count();
    check(value <= most, `${value} where ${most} is the most`);
    return value;
  },
});

export const flag: Codec<boolean> = {
  layout: 'flag',
  write: (writer, value) => writer.u8(value ? 1 : 0),
  read(reader) {
    const value = reader.u8();
    check(value <= 1, `${value} where 1 is the most`);
    return value === 1;
  },
};

/** A number that may be infinite. */
export const double: Codec<number> = {
  layout: 'double',
  write: (writer, value) => writer.f64(value),
  read(reader) {
    const value = reader.f64();
    check(!Number.isNaN(value), 'not a number');
    return value;
  },
};

export const u64: Codec<bigint> = {
  layout: 'u64',
  write: (writer, value) => writer.u64(value),
  read: reader => reader.u64(),
};

/** `most`: in UTF-16 units. */
export const text = (most: number): Codec<string> => ({
  layout: 'text',
  write: (writer, value) => writer.text(value),
  read(reader) {
    const value = reader.text();
    check(value.length <= most, `a text of ${value.length} characters where ${most} are the most`);
    return value;
  },
});

/** As many bytes as there are, none above `most`. */
export const bytes = (length: number, most: number): Codec<Uint8Array> => ({
  layout: `${length} bytes`,
  write: (writer, value) => writer.raw(value),
  read(reader) {
    const value = reader.raw(length);
    check(
      value.every(byte => byte <= most),
      `a byte above ${most}`,
    );
    return value;
  },
});

/** What is not known is negative and infinite, as the engine's records have it. */
const UNKNOWN = Number.NEGATIVE_INFINITY;

/** A count for each name, of which the last may be unknown. */
export const counts = (names: readonly string[]): Codec<Float64Array> => ({
  layout: `counts of ${names.join(' ')}?`,
  write(writer, values) {
    const last = names.length - 1;
    for (let i = 0; i < last; i++) writer.count(values[i]!);
    writer.count(values[last] === UNKNOWN ? 0 : values[last]! + 1);
  },
  read(reader) {
    const values = Float64Array.from(names, () => reader.count());
    values[names.length - 1] = values.at(-1) === 0 ? UNKNOWN : values.at(-1)! - 1;
    return values;
  },
});

// ---- values made of others ----

export const nullable = <Value>({ layout, write, read }: Codec<Value>): Codec<Value | null> => ({
  layout: `${layout}?`,
  write(writer, value) {
    flag.write(writer, value !== null);
    if (value !== null) write(writer, value);
  },
  read: reader => (flag.read(reader) ? read(reader) : null),
});

export const pair = <First, Second>(
  first: Codec<First>,
  second: Codec<Second>,
): Codec<readonly [First, Second]> => ({
  layout: `[${first.layout} ${second.layout}]`,
  write(writer, [one, other]) {
    first.write(writer, one);
    second.write(writer, other);
  },
  read: reader => [first.read(reader), second.read(reader)],
});

/** Of a value that is written as another one. */
export const as = <Value, Written>(
  { layout, write, read }: Codec<Written>,
  writtenOf: (value: Value) => Written,
  readAs: (written: Written) => Value,
): Codec<Value> => ({
  layout,
  write: (writer, value) => write(writer, writtenOf(value)),
  read: reader => readAs(read(reader)),
});

type Fields<Value> = { readonly [Name in keyof Value]-?: Codec<Value[Name]> };

/** `isRight`: whether the fields fit each other. */
export function record<Value extends object>(
  fields: Fields<Value>,
  isRight: (value: Value) => boolean = () => true,
): Codec<Value> {
  const entries = Object.entries(fields) as [string & keyof Value, Codec<Value[string & keyof Value]>][];
  return {
    layout: `{${entries.map(([name, { layout }]) => `${name} ${layout}`).join(', ')}}`,
    write(writer, value) {
      for (const [name, codec] of entries) codec.write(writer, value[name]);
    },
    read(reader) {
      const value = {} as Value;
      for (const [name, codec] of entries) value[name] = readField(reader, name, codec);
      check(isRight(value), 'fields that do not fit each other');
      return value;
    },
  };
}

/** The error says in which field it is. */
function readField<Value>(reader: BoundedReader, name: string, { read }: Codec<Value>): Value {
  try {
    return read(reader);
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error;
    const { message } = error;
    throw new DamagedBytes(/^[\w.]+: /.test(message) ? `${name}.${message}` : `${name}: ${message}`);
  }
}

/** Items in this order, all different. */
export const list = <Item>(
  { layout, write, read }: Codec<Item>,
  isBefore: (a: Item, b: Item) => boolean,
  most = Number.POSITIVE_INFINITY,
): Codec<readonly Item[]> => ({
  layout: `[${layout}]`,
  write(writer, items) {
    writer.count(items.length);
    for (const item of items) write(writer, item);
  },
  read(reader) {
    const items: Item[] = [];
    for (let left = reader.items(most, ITEM_BYTES); left > 0; left--) {
      const item = read(reader);
      const last = items.at(-1);
      check(last === undefined || isBefore(last, item), 'items out of order');
      items.push(item);
    }
    return items;
  },
});

/** Items in the order that they have. */
export const array = <Item>(item: Codec<Item>, most = Number.POSITIVE_INFINITY): Codec<readonly Item[]> =>
  list(item, () => true, most);

/** Ascending numbers, as their differences. */
export const ascending = (most = Number.MAX_SAFE_INTEGER): Codec<readonly number[]> => ({
  layout: 'ascending',
  write(writer, numbers) {
    writer.count(numbers.length);
    let last = 0;
    for (const number of numbers) {
      writer.count(number - last);
      last = number;
    }
  },
  read(reader) {
    const numbers: number[] = [];
    let last = 0;
    for (let left = reader.items(Number.POSITIVE_INFINITY, F64_BYTES); left > 0; left--) {
      last += reader.count();
      check(last <= most, `${last} where ${most} is the most`);
      numbers.push(last);
    }
    return numbers;
  },
});

/** Written in the order of the keys, in whatever order they came. */
export const map = <Key extends string | number, Value>(
  key: Codec<Key>,
  value: Codec<Value>,
): Codec<ReadonlyMap<Key, Value>> => {
  const entries = list(pair(key, value), ([a], [b]) => a < b);
  return {
    layout: entries.layout,
    write: (writer, values) => entries.write(writer, [...values].sort(byKey)),
    read: reader => new Map(entries.read(reader)),
  };
};

/** A map whose values have its keys as their names. */
export const named = <Value extends { readonly name: string }>(
  value: Codec<Value>,
): Codec<ReadonlyMap<string, Value>> => {
  const items = list(value, (a, b) => a.name < b.name);
  return {
    layout: items.layout,
    write(writer, values) {
      const inOrder = [...values].sort(byKey);
      items.write(
        writer,
        inOrder.map(([, item]) => item),
      );
    },
    read: reader => new Map(items.read(reader).map(item => [item.name, item])),
  };
};

type Entry = readonly [string | number, unknown];

/** The same on every machine: `localeCompare` is not. */
const byKey = ([a]: Entry, [b]: Entry): number => (a < b ? -1 : 1);
