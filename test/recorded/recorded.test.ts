/** The program answers as it did when the recording was made, but for `allowances.ts`. */
import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HISTORIES } from './batches.ts';
import { coverage } from './coverage.ts';
import { shortened, textOf } from './json-text.ts';
import { type Entry, played } from './program.ts';
import { differences, FOLDER, readRecording } from './recording.ts';

const SHOWN = 10;

const recorded = await readRecording();

test('answers and kept jobs equal the recorded ones', async () => {
  const found = differences(recorded, await played(HISTORIES));
  const more = found.length > SHOWN ? `\n… and ${found.length - SHOWN} more entries` : '';
  if (found.length > 0) throw new Error(`${found.slice(0, SHOWN).join('\n')}${more}`);
}, 600_000);

describe('the recording', () => {
  const counts = coverage(recorded);
  const names = (kind: string) => [...(counts.get(kind)?.keys() ?? [])];

  test('has at least 650 batches in each mode', () => {
    for (const mode of ['contract', 'adaptive'])
      expect(recorded.filter(entry => entry.mode === mode && isReport(entry)).length).toBeGreaterThan(650);
  });

  test('has each verdict, kind of drift, issue and code of rows', () => {
    expect(names('verdict').length).toBe(6);
    expect(new Set(names('drift').map(name => name.split(' ')[1])).size).toBe(8);
    expect(new Set(names('issue').map(name => name.split(' ')[1])).size).toBe(11);
    expect(names('row code').length).toBe(11);
  });

  test('has at least 45 statistics', () => {
    expect(names('statistic').length).toBeGreaterThanOrEqual(45);
  });

  test.each(readdirSync(FOLDER))(
    '%s is text as it is written, so that a diff shows what the program changed',
    async file => {
      const text = await Bun.file(join(FOLDER, file)).text();
      expect(text === `${textOf(JSON.parse(text))}\n`).toBe(true);
    },
  );
});

describe('the text of a recording', () => {
  test('has a member a line where it is too long for one', () => {
    const long = 'x'.repeat(140);
    const text = `{\n "a": {"b":1},\n "c": [\n  "${long}",\n  2\n ]\n}`;
    expect(textOf({ a: { b: 1, no: undefined }, c: [long, 2] })).toBe(text);
  });

  test('keeps 60 members, and of 61 the first 20 with a digest that shows a change of another', () => {
    const list = Array.from({ length: 61 }, (_, i) => ({ i }));
    const object: Record<string, unknown> = Object.fromEntries(list.map(({ i }) => [`f${i}`, i]));
    const both = { list, object };
    const other: typeof both = { list: [...list.slice(0, 60), { i: -1 }], object: { ...object, f60: -1 } };
    expect(shortened(list.slice(1))).toEqual(list.slice(1));
    const short = shortened(both);
    expect([short.list.length, Object.keys(short.object).length]).toEqual([21, 21]);
    expect(short.list[20]).toMatchObject({ more: 41 });
    expect(shortened(other).list[20]).not.toEqual(short.list[20]!);
    expect(shortened(other).object['…']).not.toEqual(short.object['…']!);
  });
});

describe('a difference', () => {
  const entry = recorded.find(isReport)!;
  const changed = (change: (answer: Record<string, unknown>) => void): Entry => {
    const copy = structuredClone(entry);
    change(copy.answer as Record<string, unknown>);
    return copy;
  };

  test('names batch, path and both values', () => {
    const [found] = differences([entry], [changed(answer => (answer.health_score = 0.123))]);
    expect(found).toContain(`${entry.history} / ${entry.name} / ${entry.mode}: /answer/health_score`);
    expect(found).toContain('now:      0.123');
  });

  test('is a key that is new, and a batch that is missing', () => {
    expect(differences([entry], [changed(answer => (answer.more = null))])[0]).toContain('/answer/more');
    expect(differences([entry], [])[0]).toContain('is missing');
  });

  test('is not the order of keys', () => {
    const answer = Object.fromEntries(Object.entries(entry.answer as object).toReversed());
    expect(differences([entry], [{ ...entry, answer }])).toEqual([]);
  });
});

function isReport({ answer }: Entry): boolean {
  return (answer as { stats?: unknown }).stats !== undefined;
}
