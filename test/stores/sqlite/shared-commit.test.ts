import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { SharedCommit } from '../../../src/stores/sqlite/shared-commit.ts';
import { openSqlite } from '../../../src/stores/sqlite/file.ts';
import { foldersOfATest } from '../../folders.ts';

const newFolder = foldersOfATest();

let database: Database;
let path: string;
/** Ends a turn of the event loop when it is called. */
let turns: (() => void)[];
/** Entries in the order of their commits, as another connection saw them then. */
let seenAtCommit: string[][];

const endTurn = (): void => {
  for (const end of turns.splice(0)) end();
};

const BROKEN = new Error('broken');

function write(entry: string): string {
  return database
    .transaction(() => {
      database.run('INSERT INTO entry VALUES (?)', [entry]);
      if (entry.startsWith('broken')) throw BROKEN;
      if (entry.startsWith('rolls back')) {
        database.run('ROLLBACK');
        throw BROKEN;
      }
      return entry.toUpperCase();
    })
    .immediate();
}

function kept(): string[] {
  const other = new Database(path, { readonly: true });
  try {
    return other
      .query<{ text: string }, []>('SELECT text FROM entry ORDER BY rowid')
      .all()
      .map(row => row.text);
  } finally {
    other.close();
  }
}

const newCommits = () =>
  new SharedCommit<string, string>(
    database,
    { write, committed: () => void seenAtCommit.push(kept()) },
    run => turns.push(run),
  );

/** Commits that expect several entries in a turn. */
async function busyCommits() {
  const commits = newCommits();
  const added = ['x', 'y'].map(entry => commits.add(entry));
  endTurn();
  await Promise.all(added);
  database.run('DELETE FROM entry');
  seenAtCommit = [];
  return commits;
}

const settled = async (outcomes: Promise<string>[]) =>
  (await Promise.allSettled(outcomes)).map(each => (each.status === 'fulfilled' ? each.value : each.reason));

beforeEach(() => {
  turns = [];
  seenAtCommit = [];
  path = join(newFolder(), 'entries.sqlite');
  database = openSqlite(path, 50);
  database.run('CREATE TABLE entry (text TEXT NOT NULL UNIQUE)');
});
afterEach(() => database.close());

test('an entry that comes alone is written at once', async () => {
  const commits = newCommits();
  for (const entry of ['a', 'b']) {
    const outcome = commits.add(entry);
    expect(kept()).toContain(entry);
    expect(await outcome).toBe(entry.toUpperCase());
    endTurn();
  }
});

test('entries of one turn are written in one transaction, in their order, when the turn ends', async () => {
  const commits = await busyCommits();
  const outcomes = ['a', 'b', 'c'].map(entry => commits.add(entry));
  expect(kept()).toEqual([]);
  endTurn();
  expect(kept()).toEqual(['a', 'b', 'c']);
  expect(await settled(outcomes)).toEqual(['A', 'B', 'C']);
  expect(seenAtCommit).toEqual(Array(3).fill(['a', 'b', 'c']));
});

test('after a turn with one entry the next one is written at once again', async () => {
  const commits = await busyCommits();
  const alone = commits.add('a');
  expect(kept()).toEqual([]);
  endTurn();
  await alone;
  const next = commits.add('b');
  expect(kept()).toEqual(['a', 'b']);
  await next;
});

test('an entry that fails is undone by itself, and the others are written', async () => {
  const commits = await busyCommits();
  const outcomes = ['a', 'broken', 'b', 'a'].map(entry => commits.add(entry));
  endTurn();
  expect(await settled(outcomes)).toEqual([
    'A',
    BROKEN,
    'B',
    expect.objectContaining({ code: 'SQLITE_CONSTRAINT_UNIQUE' }),
  ]);
  expect(kept()).toEqual(['a', 'b']);
  expect(seenAtCommit).toEqual(Array(2).fill(['a', 'b']));
});

test('an entry that ends the whole transaction fails alone: the others are written again', async () => {
  const commits = await busyCommits();
  const outcomes = ['a', 'rolls back', 'b'].map(entry => commits.add(entry));
  endTurn();
  const [a, failed, b] = await settled(outcomes);
  expect([a, b]).toEqual(['A', 'B']);
  expect(failed).toBeInstanceOf(Error);
  expect(kept()).toEqual(['a', 'b']);
});

test('where another process holds the lock, all fail after one wait, and nothing is written', async () => {
  const commits = await busyCommits();
  const other = openSqlite(path);
  other.run('BEGIN IMMEDIATE');
  const outcomes = ['a', 'b', 'c'].map(entry => commits.add(entry));
  endTurn();
  const locked = expect.objectContaining({ code: 'SQLITE_BUSY' });
  expect(await settled(outcomes)).toEqual([locked, locked, locked]);
  other.close();
  expect(kept()).toEqual([]);
  expect(seenAtCommit).toEqual([]);
});

test('a process that is killed in the middle of a shared commit keeps what it has answered, and nothing of the commit', async () => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'killed-commit.ts'), path]);
  await child.exited;
  expect(child.signalCode).toBe('SIGKILL');
  expect(kept()).toEqual(['answered', 'answered too']);
  expect(database.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
});
