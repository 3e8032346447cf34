/** docs/streams.md begins with four commands, which do what it shows. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDocument } from '../../src/documents/document-text.ts';
import { readStreamConfig } from '../../src/stream/config.ts';
import { eventually, freePort } from '../servers/process.ts';
import { describeWithKafka, STARTS_MS } from './suites.ts';

const ROOT = join(import.meta.dir, '../..');
const page = await Bun.file(join(ROOT, 'docs/streams.md')).text();
const [, commands = ''] = /```sh\n([\s\S]*?)```/.exec(page) ?? [];
const [start, produce, screen, read] = commands.trim().split('\n') as [string, string, string, string];

test('the configuration of the page and that of the example are valid', async () => {
  const [, shown = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  for (const text of [shown, await Bun.file(join(ROOT, 'examples/stream.yaml')).text()]) {
    // One line of the page stands for a list.
    const { value } = readDocument(new TextEncoder().encode(text));
    expect(readStreamConfig(value, {}, 1 << 25)).toMatchObject({ window: { rows: 5000, ms: 1000 } });
  }
});

describeWithKafka('the four commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-stream-docs-'));
  const running: Bun.Subprocess[] = [];

  afterAll(async () => {
    for (const child of running.toReversed()) {
      child.kill('SIGTERM');
      await child.exited;
    }
    rmSync(folder, { recursive: true, force: true });
  });

  test(
    'start a broker, produce, screen and read',
    async () => {
      const port = await freePort();
      const config = join(folder, 'stream.yaml');
      const example = await Bun.file(join(ROOT, 'examples/stream.yaml')).text();
      await Bun.write(config, example.replace('9092', String(port)));
      const spawn = (command: string) =>
        Bun.spawn(['bash', '-c', `exec ${command}`], {
          cwd: ROOT,
          env: { ...process.env, KAFKA_PORT: String(port), DATA_DIR: folder, LOG_FORMAT: 'json' },
          stdout: 'pipe',
          stderr: 'ignore',
        });
      const broker = spawn(start.split('#')[0]!);
      running.push(broker);
      const { value: line } = await broker.stdout.pipeThrough(new TextDecoderStream()).getReader().read();
      expect(line).toBe(`Kafka listens on 127.0.0.1:${port}\n`);
      expect(await spawn(produce).exited).toBe(0);
      const main = `${process.execPath} src/cli/main.ts`;
      const gate = screen
        .split('#')[0]!
        .replaceAll('npx sluice', main)
        .replace('examples/stream.yaml', config);
      running.push(spawn(`env ${gate.replace(/^SLUICE_KEY=\$\((.*?)\)/, 'SLUICE_KEY="$($1)"')}`));
      const held = await eventually(async () => {
        const lines = (await new Response(spawn(read).stdout).text()).trim().split('\n').sort();
        if (lines.length < 2) throw new Error(`only ${lines} is held`);
        return lines;
      }, STARTS_MS);
      expect(held).toHaveLength(2);
      expect(held[0]).toMatch(/^sluice-reason:type_mismatch amount,sluice-request-id:req_.*"ORD-1023"/);
      expect(held[1]).toMatch(/^sluice-reason:unreadable: Line 1 is not JSON: .*"ORD-1031"/);
    },
    2 * STARTS_MS,
  );
});
