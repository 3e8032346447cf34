/** What a JSON text says around its rows. */
import { MAX_MEMBER_BYTES, TOO_LONG } from '../engine/engine.ts';
import type { Slice } from './slice.ts';

/** Members of the first row of JSON, which a comma may follow. */
export function membersIn(row: string): number {
  const value = parsed(row.replace(/,\s*$/, ''));
  return value !== null && typeof value === 'object' ? Object.keys(value).length : 1;
}

/** Source and options of the object; null for what is not JSON. */
export function saidIn(text: string): Slice['said'] | null {
  const value = parsed(text) as Slice['said'] | undefined;
  if (!value) return null;
  const { source, options } = value;
  const long = (member: unknown) =>
    member !== undefined && JSON.stringify(member).length > MAX_MEMBER_BYTES ? TOO_LONG : member;
  return { source: long(source), options: long(options) };
}

export function mayHaveRows(text: Uint8Array): boolean {
  const value = parsed(new TextDecoder().decode(text));
  // What is not JSON is refused by parsing.
  if (value === undefined) return true;
  return value !== null && typeof value === 'object' && Object.hasOwn(value, 'rows');
}

/** Undefined for what is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
