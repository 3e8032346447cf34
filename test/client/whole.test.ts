/** A body of any length over TCP, from the built client in Node and Bun, to the real program. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { KEY, Server } from '../e2e/server.ts';

const ROOT = join(import.meta.dir, '../..');
let server: Server;

beforeAll(async () => {
  const building = Bun.spawn([process.execPath, 'scripts/build-client.ts', '--if-stale'], { cwd: ROOT });
  expect(await building.exited).toBe(0);
  server = await Server.start();
});
afterAll(() => server[Symbol.asyncDispose]());

/** What the program prints, which has a client and pieces of 1,000 rows. */
async function printed(platform: string, program: string): Promise<string> {
  const text = `
    import { Sluice } from '${join(ROOT, 'clients/typescript/dist/index.js')}';
    const clientWith = key => new Sluice({ url: '${server.url}', key, maxRetries: 0 });
    const piece = ${JSON.stringify('{"id":7,"city":"Wien"}\n')}.repeat(1000);
    async function* pieces(count) { for (let i = 0; i < count; i++) yield piece; }
    ${program}`;
  const command = platform === 'node' ? ['node', '--input-type=module', '-e'] : [process.execPath, '-e'];
  const child = Bun.spawn([...command, text], {
    stdout: 'pipe',
    stderr: 'inherit',
    env: { PATH: process.env.PATH! },
  });
  return (await new Response(child.stdout).text()).trim();
}

test.each(['node', 'bun'])('%s sends a body while it is read', async platform => {
  const program = `
    const { report } = await clientWith('${KEY}').screenWhole({ source: 'long', ndjson: pieces(1500), options: { dry_run: true } });
    console.log(report.stats.rows_received);`;
  expect(await printed(platform, program)).toBe('1500000');
});

test.each(['node', 'bun'])('%s sees the refusal of a body that never ends', async platform => {
  const program = `
    const input = { source: 'long', ndjson: pieces(Infinity) };
    const error = await clientWith('sluice_live_${'0'.repeat(32)}').screenWhole(input).catch(reason => reason);
    console.log(error.code, error.status);`;
  expect(await printed(platform, program)).toBe('AUTH_INVALID 401');
});

test.each(['node', 'bun'])('what %s has sent when its input fails is not judged', async platform => {
  const program = `
    const client = clientWith('${KEY}');
    async function* broken() { yield* pieces(3000); throw new RangeError('the disk is gone'); }
    const error = await client.screenWhole({ source: 'broken', ndjson: broken() }).catch(String);
    console.log(error, (await client.listJobs({ source: 'broken' })).jobs.length);`;
  expect(await printed(platform, program)).toBe('RangeError: the disk is gone 0');
});
