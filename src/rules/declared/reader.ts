/** Reads the members of a document of rules. Every refusal begins with the path of what is wrong. */
import { MAX_NAME_BYTES } from '../../../assembly/abi.ts';
import { Rejection } from '../../terms/errors.ts';
import { isJsonObject, type JsonObject } from '../../documents/json-object.ts';
import { repeatedKeyIn } from '../../documents/repeated-key.ts';
import { escaped, grouped, quoted, shortened } from '../../terms/wording.ts';
import type { Scalar } from './document.ts';
import { MAX_TEXT } from './limits.ts';

export type Members = JsonObject;

/** Characters of a path in a message. */
const PATH_SHOWN = 200;

export function refuse(path: string, message: string): never {
  throw new Rejection('INVALID_RULES', `${escaped(shortened(path, PATH_SHOWN))}: ${message}`);
}

/** `fields.quantity`; a name that is more than words is quoted: `fields["a.b"]`. */
export function pathTo(path: string, name: string): string {
  const isPlain = /^[\p{L}\p{N}_](?:[\p{L}\p{N}_ -]*[\p{L}\p{N}_])?$/u.test(name);
  return isPlain ? `${path}.${name}` : `${path}[${escaped(JSON.stringify(name))}]`;
}

/** Refuses JSON in which two members have one name: a parser keeps the last and drops the others. `member`: the one that holds the rules. */
export function refuseRepeated(json: string, member?: string): void {
  const found = repeatedKeyIn(json, member);
  if (found === null) return;
  const { path, key, line, firstLine } = found;
  const at = [...path, key]
    .slice(member === undefined ? 0 : 1)
    .reduce<string>(
      (outer, name) => (typeof name === 'number' ? `${outer}[${name}]` : pathTo(outer, name)),
      '',
    );
  const lines = line === firstLine ? '' : `, in line ${firstLine} and in line ${line}`;
  refuse(at.replace(/^\./, '') || 'rules', `is there twice${lines}`);
}

/** What a value is, for messages. */
function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? quoted(value) : String(value);
}

const mustBe = (path: string, what: string, value: unknown): never =>
  refuse(path, `must be ${what}, not ${nameOf(value)}`);

/** An object with no other members than the known ones. */
export function object(path: string, value: unknown, known: readonly string[]): Members {
  const members = anyObject(path, value);
  for (const name of Object.keys(members)) {
    if (!known.includes(name))
      refuse(
        path === '' ? pathTo('', name).replace(/^\./, '') : pathTo(path, name),
        `unknown; known are ${known.join(', ')}`,
      );
  }
  return members;
}

export function anyObject(path: string, value: unknown): Members {
  return isJsonObject(value) ? value : mustBe(path || 'rules', 'an object', value);
}

export function list(path: string, value: unknown, least: number, most: number): readonly unknown[] {
  if (!Array.isArray(value)) return mustBe(path, 'an array', value);
  const range = `must have ${least === 0 ? 'at most' : `${least} to`} ${grouped(most)} entries`;
  return value.length < least || value.length > most ? refuse(path, `${range}, not ${value.length}`) : value;
}

export function boolean(path: string, value: unknown): boolean {
  return typeof value === 'boolean' ? value : mustBe(path, 'true or false', value);
}

export function number(path: string, value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : mustBe(path, 'a number', value);
}

export function positive(path: string, value: unknown): number {
  return number(path, value) > 0 ? (value as number) : mustBe(path, 'a number above 0', value);
}

export function share(path: string, value: unknown): number {
  const isShare = typeof value === 'number' && value >= 0 && value <= 1;
  return isShare ? value : mustBe(path, 'a number from 0 to 1', value);
}

export function count(path: string, value: unknown): number {
  const isCount = Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31;
  return isCount ? (value as number) : mustBe(path, 'a whole number from 0 on', value);
}

export function text(path: string, value: unknown, most = MAX_TEXT): string {
  if (typeof value !== 'string') return mustBe(path, 'a text', value);
  return value.length <= most
    ? value
    : refuse(path, `may have at most ${grouped(most)} characters, not ${grouped(value.length)}`);
}

export function word<Word extends string>(path: string, value: unknown, words: readonly Word[]): Word {
  const found = words.find(each => each === value);
  return found ?? mustBe(path, `one of ${words.join(', ')}`, value);
}

/** The name of a field. */
export function fieldName(path: string, value: unknown): string {
  const name = text(path, value, MAX_NAME_BYTES);
  return Buffer.byteLength(name) <= MAX_NAME_BYTES
    ? name
    : refuse(path, `a field name may have at most ${grouped(MAX_NAME_BYTES)} bytes`);
}

export function scalar(path: string, value: unknown): Scalar {
  if (typeof value === 'string') return text(path, value);
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return value;
  return value === null
    ? refuse(path, 'must be a value, not null; nullable and max_null_rate are about rows without one')
    : mustBe(path, 'a text, a number, true or false', value);
}

export const scalars = (path: string, value: unknown, most: number): Scalar[] =>
  list(path, value, 1, most).map((each, i) => scalar(`${path}[${i}]`, each));
