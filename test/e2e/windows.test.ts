/** Windows in the real program: what was answered outlives a kill, and a window ends whoever is left to see it. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksIn } from '../docs/blocks.ts';
import { eventually } from '../servers/process.ts';
import { KEY, newFolder, Server } from './server.ts';

// biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the tests ask
type Json = Record<string, any>;

const ROWS = 10;
const HEADERS = { 'X-API-Key': KEY, 'Content-Type': 'application/json' };

async function ask(server: Server, method: string, path: string, body?: unknown): Promise<Json> {
  const sent = body === undefined ? null : JSON.stringify(body);
  const response = await fetch(`${server.url}${path}`, { method, headers: HEADERS, body: sent });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Json;
}

const setWindow = (server: Server, window: object) =>
  ask(server, 'PUT', '/v1/schema/clicks/settings', { window });

const bodyOf = (post: number): string =>
  JSON.stringify({
    source: 'clicks',
    rows: Array.from({ length: ROWS }, (_, i) => ({ id: post * ROWS + i, kind: ['view', 'buy'][i % 2] })),
  });

async function jobRows(server: Server): Promise<number[]> {
  const { jobs } = await ask(server, 'GET', '/v1/jobs');
  return jobs.map((job: Json) => job.rows_received);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

test('the command of docs/batches.md sets a window', async () => {
  await using server = await Server.start();
  const page = readFileSync(join(import.meta.dir, '../../docs/batches.md'), 'utf8');
  const { text } = blocksIn('docs/batches.md', page).find(block => block.text.includes('"window"'))!;
  const child = Bun.spawn(['bash', '-c', text.replace('http://127.0.0.1:8080', server.url)], {
    env: { ...process.env, SLUICE_KEY: KEY },
    stdout: 'pipe',
    stderr: 'ignore',
  });
  expect(JSON.parse(await new Response(child.stdout).text()).window).toEqual({ rows: 5000, ms: 60_000 });
  const { window } = (await (await server.post(bodyOf(0))).json()) as Json;
  expect(window.rows).toBe(ROWS);
});

test('posts that were answered are in a window once, though the program is killed between them', async () => {
  const folder = newFolder();
  const [clients, posts] = [4, 60];
  let server = await Server.start({}, folder);
  await setWindow(server, { rows: 1_000_000, ms: 1500 });
  let next = 0;
  let answered = 0;
  const client = async () => {
    for (let post = next++; post < posts; post = next++) {
      // The same key until there is an answer.
      await eventually(async () => {
        const { status } = await server.post(bodyOf(post), { 'Idempotency-Key': `post-${post}` });
        if (status !== 200) throw new Error(`${status}`);
      });
      answered++;
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  for (const killedAfter of [10, 35]) {
    while (answered < killedAfter) await Bun.sleep(1);
    await server.kill('SIGKILL');
    server = await Server.start({}, folder);
  }
  await all;
  await eventually(async () => {
    const rows = sum(await jobRows(server));
    if (rows < posts * ROWS) throw new Error(`${rows} rows are judged`);
  });
  expect(sum(await jobRows(server))).toBe(posts * ROWS);
  const { rows } = await ask(server, 'GET', '/v1/schema/clicks');
  expect(rows).toBe(posts * ROWS);
  await server[Symbol.asyncDispose]();
}, 60_000);

test('a window whose time was over while nothing ran is judged when the program starts', async () => {
  const folder = newFolder();
  const first = await Server.start({}, folder);
  await setWindow(first, { rows: 1000, ms: 1000 });
  await first.post(bodyOf(0));
  const { batches } = await ask(first, 'GET', '/v1/batches');
  await first.kill('SIGKILL');
  const endsAt = Date.parse(batches[0].window?.ends_at ?? batches[0].created_at);
  while (Date.now() <= endsAt) await Bun.sleep(10);
  await using second = await Server.start({}, folder);
  await eventually(async () => {
    expect(await jobRows(second)).toEqual([ROWS]);
  });
}, 60_000);

test('an open window outlives a stop', async () => {
  const folder = newFolder();
  const first = await Server.start({}, folder);
  await setWindow(first, { rows: 20, ms: 86_400_000 });
  await first.post(bodyOf(0));
  expect(await first.kill('SIGTERM')).toBe(0);
  await using second = await Server.start({}, folder);
  const { window } = (await (await second.post(bodyOf(1))).json()) as Json;
  expect(window.rows).toBe(2 * ROWS);
  await eventually(async () => {
    expect(await jobRows(second)).toEqual([2 * ROWS]);
  });
}, 60_000);
