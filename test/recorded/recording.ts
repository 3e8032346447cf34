/** The recording: a file of text for each history, so that a change of it can be read; and how it is compared with what the program says now. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ALLOWANCES, type Allowance } from './allowances.ts';
import { shortened, textOf } from './json-text.ts';
import type { Entry } from './program.ts';

export const FOLDER = join(import.meta.dir, 'reports');

/** Writes all files again, and returns how many bytes they have. */
export async function writeRecording(entries: readonly Entry[]): Promise<number> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  const files = Map.groupBy(entries, ({ history }) => fileOf(history));
  const sizes = [...files].map(([file, those]) =>
    Bun.write(join(FOLDER, file), `${textOf(those.map(shortened))}\n`),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

export async function readRecording(): Promise<Entry[]> {
  const files = readdirSync(FOLDER).map(file => Bun.file(join(FOLDER, file)).json() as Promise<Entry[]>);
  return (await Promise.all(files)).flat();
}

const fileOf = (history: string): string => `${history.replace(/[^a-z0-9]+/g, '-').replace(/-$/, '')}.json`;

/** Where the program differs from the recording, an entry a line, after the allowances. */
export function differences(
  recorded: readonly Entry[],
  now: readonly Entry[],
  allowances: readonly Allowance[] = ALLOWANCES,
): string[] {
  const found: string[] = [];
  const others = new Map(now.map(entry => [keyOf(entry), entry]));
  for (const before of recorded) {
    const key = keyOf(before);
    const after = others.get(key);
    others.delete(key);
    const difference = after ? differenceOf(before, after, allowances) : 'is missing';
    if (difference !== null) found.push(`${key}: ${difference}`);
  }
  for (const key of others.keys()) found.push(`${key}: is not recorded`);
  return found;
}

const keyOf = ({ history, name, mode }: Entry): string => `${history} / ${name} / ${mode}`;

function differenceOf(before: Entry, after: Entry, allowances: readonly Allowance[]): string | null {
  if (before.sent !== after.sent) return 'the batch itself is another: the generator has changed';
  const [old, young] = [normalised(before, 'recorded', allowances), normalised(after, 'now', allowances)];
  const difference = firstDifference(old, young, '');
  if (difference === null) return null;
  const { path, recorded, now } = difference;
  return `${path || 'the entry'}\n    recorded: ${shown(recorded)}\n    now:      ${shown(now)}`;
}

/** Through JSON, so that a key that is undefined is a key that is absent. */
function normalised(entry: Entry, side: 'recorded' | 'now', allowances: readonly Allowance[]): unknown {
  const copy = JSON.parse(JSON.stringify(side === 'now' ? shortened(entry) : entry)) as Entry;
  return allowances.reduce((document, { apply }) => apply(document, side), copy);
}

interface Difference {
  path: string;
  recorded: unknown;
  now: unknown;
}

/** Depth first; the order of keys does not count (but in what is shortened), that of arrays does. */
function firstDifference(recorded: unknown, now: unknown, path: string): Difference | null {
  if (Object.is(recorded, now)) return null;
  if (!isObject(recorded) || !isObject(now) || Array.isArray(recorded) !== Array.isArray(now))
    return { path, recorded, now };
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
    const [a, b] = [own(recorded, key), own(now, key)];
    const difference = firstDifference(a, b, `${path}/${key}`);
    if (difference) return difference;
  }
  return null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** `__proto__` may be a name of the payload. */
const own = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

const SHOWN_CHARACTERS = 300;

function shown(value: unknown): string {
  const text = value === undefined ? '(absent)' : JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
