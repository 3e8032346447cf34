/** JSON as text that a person can read and compare line by line. */
import { createHash } from 'node:crypto';

const LINE_CHARACTERS = 140;

/** What fits into a line is one; otherwise each member has its own. */
export function textOf(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (!isObject(value) || indent.length + line.length <= LINE_CHARACTERS) return line;
  const inner = `${indent} `;
  const members = Array.isArray(value)
    ? value.map(each => `${inner}${textOf(each, inner)}`)
    : defined(value).map(([key, each]) => `${inner}${JSON.stringify(key)}: ${textOf(each, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${members.join(',\n')}\n${indent}${close}`;
}

/** Reports list at most 50 anomalies: they are never shortened. */
const MOST_MEMBERS = 60;
const KEPT_MEMBERS = 20;

/** Stands for the members that are left out. */
export interface More {
  more: number;
  /** Of the JSON text of all members. */
  sha256: string;
}

/** Long lists and objects, as of a thousand fields, without most of their members: the digest still shows a change of one. */
export function shortened<T>(value: T): T;
export function shortened(value: unknown): unknown {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) {
    if (value.length <= MOST_MEMBERS) return value.map(each => shortened(each));
    return [...value.slice(0, KEPT_MEMBERS).map(each => shortened(each)), moreOf(value, value.length)];
  }
  const members = defined(value).map(([key, each]) => [key, shortened(each)] as const);
  if (members.length <= MOST_MEMBERS) return Object.fromEntries(members);
  return Object.fromEntries([...members.slice(0, KEPT_MEMBERS), ['…', moreOf(value, members.length)]]);
}

const moreOf = (value: object, members: number): More => ({
  more: members - KEPT_MEMBERS,
  sha256: createHash('sha256').update(JSON.stringify(value)).digest('hex'),
});

/** A member that is undefined is none in JSON. */
const defined = (value: object): [string, unknown][] =>
  Object.entries(value).filter(([, each]) => each !== undefined);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
