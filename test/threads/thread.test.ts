/** A thread of its own: it answers, and it is ended if it takes too long or fails. */
import { afterEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Format } from '../../assembly/abi.ts';
import { compileEngine } from '../../src/engine/engine.ts';
import { Rejection } from '../../src/terms/errors.ts';
import { ThreadEnded, WorkerThread } from '../../src/threads/thread.ts';

const module = await compileEngine(await Bun.file(join(import.meta.dir, '../../build/engine.wasm')).bytes());
const SETTINGS = { sampleRows: 1000, defaultMode: 'contract', storeValues: true } as const;
const MIB = 1024 * 1024;
const LONG_MS = 60_000;

const started: WorkerThread[] = [];
afterEach(() => {
  for (const thread of started.splice(0)) thread.end();
});

async function start(limitMs = LONG_MS, onEnd: () => void = () => {}): Promise<WorkerThread> {
  const thread = new WorkerThread(
    { module, maxBodyBytes: MIB, settings: SETTINGS, niceness: 0 },
    limitMs,
    onEnd,
  );
  started.push(thread);
  await thread.opened;
  return thread;
}

const start_ = { format: Format.JSON, delimiter: 0x2c, isDelimiterGiven: false, named: null };
const body = (text: string) => ({
  start: { ...start_, salt: new Uint8Array(32) },
  pieces: [new TextEncoder().encode(text)],
  isLast: true,
});

test('may take longer to open than for a task', async () => {
  await start(1);
});

test('parses a body, and says what it is', async () => {
  const thread = await start();
  const parsed = await thread.ask(
    'parse',
    body('{"source":"s","options":{"dry_run":true},"rows":[{"a":1}]}'),
  );
  expect(parsed).toMatchObject({ source: 's', rows: 1, dryRun: true });
});

test('throws the rejection that its task throws, and goes on', async () => {
  const thread = await start();
  const refused = await thread.ask('parse', body('{"source":')).catch(error => error);
  expect(refused).toBeInstanceOf(Rejection);
  expect(refused).toMatchObject({ code: 'INVALID_JSON', status: 400 });
  expect(await thread.ask('parse', body('{"source":"s","rows":[{"a":1}]}'))).toMatchObject({ rows: 1 });
});

test('takes the buffers that are transferred', async () => {
  const thread = await start();
  const order = body('{"source":"s","rows":[{"a":1}]}');
  await thread.ask(
    'parse',
    order,
    order.pieces.map(({ buffer }) => buffer),
  );
  expect(order.pieces[0]!.length).toBe(0);
});

test('is ended by a bug, since nobody knows what state its engine is in', async () => {
  let ends = 0;
  const thread = await start(LONG_MS, () => ends++);
  const tooLong = body(`{"source":"s","rows":[{"a":"${'x'.repeat(MIB)}"}]}`);
  const bug = await thread.ask('parse', tooLong).catch(error => error);
  expect(bug).toBeInstanceOf(Error);
  expect(bug).not.toBeInstanceOf(Rejection);
  expect(ends).toBe(1);
  await expect(thread.ask('received', undefined)).rejects.toBeInstanceOf(ThreadEnded);
});

test('is ended when a task takes longer than it may; what waits behind it is told apart', async () => {
  let ends = 0;
  const thread = await start(3000, () => ends++);
  const row = new TextEncoder().encode('{"a":1}\n');
  const bodies = Array<Uint8Array>(8_000_000).fill(row);
  const ndjson = { format: Format.NDJSON, delimiter: 0x2c, salt: new Uint8Array(32) };
  const slow = thread.ask('readAlone', { start: ndjson, bodies });
  const behind = thread.ask('received', undefined);
  const [first, second] = await Promise.all([slow, behind].map(each => each.catch(error => error)));
  expect(first).toMatchObject({ isOvertime: true });
  expect(second).toMatchObject({ isOvertime: false });
  expect(ends).toBe(1);
});
