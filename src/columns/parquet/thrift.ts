/**
 * Reads Thrift's compact protocol: of a struct the members that are asked for. All else is walked and not kept, because a hostile
 * directory may have millions of values. Throws `RangeError` where the bytes end within a value.
 */
import { MAX_DEPTH } from '../../../assembly/abi.ts';
import { damaged } from './damaged.ts';

/** The types that Parquet uses. In a struct, TRUE and FALSE have no bytes; in a list they take one. */
export const T = {
  STOP: 0,
  TRUE: 1,
  FALSE: 2,
  BYTE: 3,
  I16: 4,
  I32: 5,
  I64: 6,
  DOUBLE: 7,
  BINARY: 8,
  LIST: 9,
  STRUCT: 12,
};

/** The type of a value without bytes. */
const NOTHING = T.STOP;
/** In a struct the type of a boolean is its value. */
const inStruct = (type: number): number => (type === T.TRUE || type === T.FALSE ? NOTHING : type);

const MAX_VARINT_BYTES = 10;

/** A member of a struct: its id, the type it must have, and how it is read. */
export interface Member<Value> {
  id: number;
  type: number;
  read(thrift: Thrift): Value;
}
type Members = Record<string, Member<unknown>>;
/** The members of a struct that are read, and their names by their ids. */
export interface StructType<Of extends Members> {
  members: Of;
  names: string[];
}
/** Undefined where a member is absent or has another type. */
export type Struct<Of> =
  Of extends StructType<infer All>
    ? { [Name in keyof All]: All[Name] extends Member<infer Value> ? Value | undefined : never }
    : never;

export function structType<Of extends Members>(members: Of): StructType<Of> {
  const names: string[] = [];
  for (const [name, { id }] of Object.entries(members)) names[id] = name;
  return { members, names };
}

export const i8 = (id: number): Member<number> => ({ id, type: T.BYTE, read: thrift => thrift.byte() });
export const i32 = (id: number): Member<number> => ({ id, type: T.I32, read: thrift => thrift.integer() });
export const i64 = (id: number): Member<number> => ({ id, type: T.I64, read: thrift => thrift.integer() });
export const flag = (id: number): Member<boolean> => ({ id, type: NOTHING, read: thrift => thrift.flag });
export const text = (id: number): Member<string> => ({ id, type: T.BINARY, read: thrift => thrift.text() });
export const struct = <Of extends Members>(
  id: number,
  type: StructType<Of>,
): Member<Struct<StructType<Of>>> => ({
  id,
  type: T.STRUCT,
  read: thrift => thrift.struct(type),
});
/** Whether there is such a struct: its members are not read. */
export const anyStruct = (id: number): Member<object> => struct(id, structType({}));

/** Lists and structs within each other. */
const MAX_NESTING = 4 * MAX_DEPTH;

const decoder = new TextDecoder();

export class Thrift {
  /** The last boolean among the fields. */
  flag = false;

  constructor(
    readonly bytes: Uint8Array<ArrayBuffer>,
    public at = 0,
  ) {}

  byte(): number {
    if (this.at >= this.bytes.length) throw new RangeError('the bytes end within a value');
    return this.bytes[this.at++]!;
  }

  /** Exact up to 2^53; larger values are rounded, but no valid length is that large. */
  varint(): number {
    let [value, scale] = [0, 1];
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw damaged('a number of its metadata has too many bytes');
  }

  /** A zigzag number. */
  integer(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string {
    const length = this.varint();
    this.#pass(length);
    return decoder.decode(this.bytes.subarray(this.at - length, this.at));
  }

  list(): { type: number; left: number } {
    const head = this.byte();
    const [type, size] = [head & 15, head >> 4];
    const left = size === 15 ? this.varint() : size;
    if (type === T.STOP && left > 0) throw damaged('its metadata has a list of nothing');
    return { type, left };
  }

  /** Calls `take` for each field of the struct that begins here: it reads or skips the value. */
  fields(take: (id: number, type: number) => void): void {
    for (let id = 0; ; ) {
      const head = this.byte();
      if (head === T.STOP) return;
      id = head >> 4 ? id + (head >> 4) : this.integer();
      this.flag = (head & 15) === T.TRUE;
      take(id, inStruct(head & 15));
    }
  }

  /** The struct that begins here. */
  struct<Of extends Members>({ members, names }: StructType<Of>): Struct<StructType<Of>> {
    const found: Record<string, unknown> = {};
    this.fields((id, type) => {
      const name = names[id];
      const member = name === undefined ? undefined : members[name];
      if (member?.type === type) found[name!] = member.read(this);
      else this.skip(type);
    });
    return found as Struct<StructType<Of>>;
  }

  /** Skips a value of the type, which lies within `depth` others. */
  skip(type: number, depth = 0): void {
    if (depth > MAX_NESTING) throw damaged('its metadata is nested too deep');
    if (type === T.STRUCT) this.fields((_, inner) => this.skip(inner, depth + 1));
    else if (type === T.LIST)
      for (let { type: inner, left } = this.list(); left > 0; left--) this.skip(inner, depth + 1);
    else if (type === T.BINARY) this.#pass(this.varint());
    else if (type === T.DOUBLE) this.#pass(8);
    else if (type === T.TRUE || type === T.FALSE || type === T.BYTE) this.#pass(1);
    else if (type === T.I16 || type === T.I32 || type === T.I64) this.varint();
    else if (type !== NOTHING) throw damaged(`its metadata has a value of type ${type}`);
  }

  #pass(bytes: number): void {
    if (!(bytes <= this.bytes.length - this.at)) throw new RangeError('the bytes end within a value');
    this.at += bytes;
  }
}
