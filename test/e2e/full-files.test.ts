import { describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../servers/process.ts';
import { KEY, newFolder, run, Server } from './server.ts';

/** Half a megabyte a file: the write-ahead log meets it after some dozens of batches. A new database takes a quarter. */
const FILE_BLOCKS = 1024;

const batch = JSON.stringify({ source: 'orders', rows: [{ id: 1 }, { id: 2 }] });

async function get(server: Server, path: string) {
  const response = await fetch(server.url + path, { headers: { 'X-API-Key': KEY } });
  return { status: response.status, body: await response.json() };
}

/** Posts until it is refused: how many were screened, and the refusal. */
async function fill(server: Server) {
  for (let screened = 0; ; screened++) {
    const response = await server.post(batch);
    if (response.status !== 200) return { screened, response };
    await response.text();
  }
}

test('on a full disk screening is a 503, reading goes on, and the process says that it is not ready and why', async () => {
  const folder = newFolder();
  const full = await Server.start({}, folder, FILE_BLOCKS);
  const { screened, response } = await fill(full);
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.json()).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await get(full, '/v1/stats')).toMatchObject({ status: 200, body: { totalJobs: screened } });
  expect(await get(full, '/v1/health')).toMatchObject({ status: 200 });
  // The file that was full is another one's perhaps: each look at the readiness is a small write, until none fits.
  await eventually(async () =>
    expect(await get(full, '/v1/ready')).toMatchObject({ status: 503, body: { missing: ['sqlite'] } }),
  );
  await full.prints(/"code":"SERVICE_UNAVAILABLE","reason":"[^"]+","msg":"a store cannot answer"/);
  await full.kill('SIGKILL');

  await using roomy = await Server.start({}, folder);
  expect(await get(roomy, '/v1/ready')).toMatchObject({ status: 200 });
  expect(await get(roomy, '/v1/stats')).toMatchObject({
    body: { totalJobs: screened, totalRows: 2 * screened },
  });
  expect((await roomy.post(batch)).status).toBe(200);
});

test('a start that a full disk or a damaged file brings down is one line, and exit 1', async () => {
  const damaged = newFolder();
  writeFileSync(join(damaged, 'baselines.sqlite'), 'x'.repeat(8192));
  const used = newFolder();
  await (await Server.start({}, used)).kill('SIGKILL');
  const starts = [run({ DATA_DIR: damaged }), run({ DATA_DIR: used }, 0), run({ DATA_DIR: newFolder() }, 0)];
  for (const { code, stderr } of await Promise.all(starts)) {
    expect(stderr).toMatch(/^DATA_DIR[^\n]+\n$/);
    expect(code).toBe(1);
  }
});

describe('a data folder that is lost under a running server', () => {
  const emptied = (folder: string) => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
  };
  test.each<[string, (folder: string) => void]>([
    ['removed', folder => rmSync(folder, { recursive: true })],
    ['emptied', emptied],
    ['moved away', folder => renameSync(folder, `${folder}-old`)],
    [
      'removed and made again',
      folder => {
        rmSync(folder, { recursive: true });
        mkdirSync(folder);
        for (const name of ['sluice.sqlite', 'baselines.sqlite']) writeFileSync(join(folder, name), '');
      },
    ],
    ['without its baselines', folder => rmSync(join(folder, 'baselines.sqlite'))],
  ])('makes the server not ready: %s', async (_, lose) => {
    await using server = await Server.start();
    expect((await server.post(batch)).status).toBe(200);
    expect(await get(server, '/v1/ready')).toMatchObject({ status: 200, body: { dependencies: ['sqlite'] } });
    lose(server.folder);
    expect(await get(server, '/v1/ready')).toMatchObject({ status: 503, body: { missing: ['sqlite'] } });
  });
});
