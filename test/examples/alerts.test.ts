/** The commands of docs/alerts.md, run against the real program. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { KEY, Server } from '../e2e/server.ts';

const ROOT = join(import.meta.dir, '../..');

const page = await Bun.file(join(ROOT, 'docs/alerts.md')).text();
const [, channels, receiver, batches] = [...page.matchAll(/```sh\n([\s\S]*?)\n```/g)].map(found => found[1]!);
const shown = /```text\n([\s\S]*?)\n```/.exec(page)![1]!;

test('a webhook and a Slack-shaped message reach a receiver that checks the signature', async () => {
  await using server = await Server.start({ ALERT_ALLOW_PRIVATE: 'true' });
  const { port, stop } = freePort();
  const here = (command: string) =>
    command
      .replaceAll('http://127.0.0.1:8080', server.url)
      .replaceAll('127.0.0.1:9000', `127.0.0.1:${port}`)
      .replace(/SLUICE_KEY=\S+/, `SLUICE_KEY=${KEY}`);
  const run = (command: string) => Bun.$`bash -ec ${here(command)}`.env({ ...process.env, SLUICE_KEY: KEY });
  stop();
  const created = await run(channels!).text();
  const secret = /"secret":"(whsec_[^"]+)"/.exec(created)![1]!;
  const child = Bun.spawn(receiver!.split(' ').slice(1).concat(String(port)), {
    cwd: ROOT,
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdout: 'pipe',
  });
  const lines = linesOf(child.stdout);
  const printed = [(await lines.next()).value!];
  const [broken, clean] = batches!.split(/\nsleep .*\n/) as [string, string];
  const define = broken.slice(0, broken.lastIndexOf('\nscreen'));
  for (const command of [broken, `${define}\n${clean}`]) {
    await run(command).quiet();
    printed.push(...[(await lines.next()).value!, (await lines.next()).value!].sort().reverse());
  }
  child.kill();
  expect(printed).toEqual(shown.replace('9000', String(port)).split('\n'));
});

/** A port that was free a moment ago. */
function freePort() {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  return { port: server.port!, stop: () => server.stop(true) };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, string> {
  let text = '';
  for await (const bytes of stream) {
    text += new TextDecoder().decode(bytes);
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      yield text.slice(0, end);
      text = text.slice(end + 1);
    }
  }
  return text;
}
