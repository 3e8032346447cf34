/**
 * Three replicas take posts to one source with a window from many clients, while replicas are killed and replaced. Every answered post is in one window, once, and each window is judged once.
 * `POSTS` and `CLIENTS` make it larger.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { eventually } from '../servers/process.ts';
import { describeWithBoth } from '../servers/suites.ts';
import { Fleet } from './fleet.ts';
import { KEY, type Server } from './server.ts';

const { POSTS = '400', CLIENTS = '8' } = process.env;
const ROWS = 10;
const REPLICAS = 3;

// biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the tests ask
type Json = Record<string, any>;

let fleet: Fleet;

/** Asks any replica until one answers with 200, with the same key. */
async function ask(method: string, path: string, body: object, key: string): Promise<Json> {
  let said: Json = {};
  await eventually(async () => {
    const headers = { 'X-API-Key': KEY, 'Content-Type': 'application/json', 'Idempotency-Key': key };
    const request = { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${fleet.next().url}${path}`, request);
    said = (await response.json()) as Json;
    if (!response.ok) throw new Error(JSON.stringify(said));
  });
  return said;
}

const rowsOf = (post: number) =>
  Array.from({ length: ROWS }, (_, i) => ({ id: post * ROWS + i, kind: ['view', 'buy'][i % 2] }));

/** Kills one replica after the other, and starts another in its place. */
async function killed(at: number): Promise<void> {
  const before: Server = fleet.replicas[at]!;
  const successor = await fleet.add();
  fleet.replicas.pop();
  fleet.replicas[at] = successor;
  await before[Symbol.asyncDispose]();
}

describeWithBoth('a window on three replicas', () => {
  beforeAll(async () => {
    fleet = await Fleet.start(REPLICAS, false);
  }, 240_000);
  afterAll(() => fleet[Symbol.asyncDispose]());

  test('has every answered post once, whichever replica is killed', async () => {
    await ask('PUT', '/v1/schema/clicks/settings', { window: { rows: 500, ms: 5000 } }, 'settings');
    const before = await fleet.books();
    const posts = Number(POSTS);
    const windows = new Set<string>();
    let next = 0;
    let answered = 0;
    const client = async () => {
      for (let post = next++; post < posts; post = next++) {
        const body = { source: 'clicks', rows: rowsOf(post) };
        windows.add((await ask('POST', '/v1/screen', body, `post-${post}`)).window.batch_id);
        answered++;
      }
    };
    const all = Promise.all(Array.from({ length: Number(CLIENTS) }, client));
    for (const [at, part] of [0.2, 0.4, 0.6, 0.8].entries()) {
      while (answered < part * posts) await Bun.sleep(1);
      await killed(at % REPLICAS);
    }
    await all;
    // The one that is open yet.
    await ask('PUT', '/v1/schema/clicks/settings', { window: null }, 'no settings');
    await eventually(async () => {
      const { jobRows } = await fleet.books();
      if (jobRows - before.jobRows < posts * ROWS)
        throw new Error(`${jobRows - before.jobRows} rows are judged`);
    });
    const after = await fleet.books();
    const rows = [...after.jobs].filter(([id]) => !before.jobs.has(id)).map(([, each]) => each);
    expect(rows.reduce((sum, each) => sum + each, 0)).toBe(posts * ROWS);
    expect(rows).toHaveLength(windows.size);
    expect(after.ledgerRows - before.ledgerRows).toBe(posts * ROWS);
    expect(after.ledgerRequests - before.ledgerRequests).toBe(posts);
  }, 240_000);
});
