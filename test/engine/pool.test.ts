import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Format, Status } from '../../assembly/abi.ts';
import { compileEngine, Engine } from '../../src/engine/engine.ts';
import { EnginePool } from '../../src/engine/pool.ts';
import { warmUp } from '../../src/engine/warm.ts';

const wasm = Bun.file(join(import.meta.dir, '../../build/engine.wasm'));
const compiled = await compileEngine(new Uint8Array(await wasm.arrayBuffer()));
const MIB = 1024 * 1024;

test('engines are reused, and no more than the pool holds are made', async () => {
  const pool = new EnginePool(compiled, MIB, 2);
  const first = await pool.lend();
  const second = await pool.lend();
  pool.giveBack(first);
  expect(await pool.lend()).toBe(first);
  expect(second).not.toBe(first);
  expect([pool.lent, pool.waiting]).toEqual([2, 0]);
});

test('who finds no engine waits in line', async () => {
  const pool = new EnginePool(compiled, MIB, 1);
  const engine = await pool.lend();
  const served: string[] = [];
  const waiters = ['first', 'second'].map(async name => {
    const lent = await pool.lend();
    served.push(name);
    pool.giveBack(lent);
  });
  expect([pool.lent, pool.waiting]).toEqual([1, 2]);
  pool.giveBack(engine);
  await Promise.all(waiters);
  expect(served).toEqual(['first', 'second']);
  expect([pool.lent, pool.waiting]).toEqual([0, 0]);
});

test('an engine given up is replaced, for those who wait too', async () => {
  const pool = new EnginePool(compiled, MIB, 1);
  const broken = await pool.lend();
  const waiting = pool.lend();
  pool.giveUp();
  expect(await waiting).not.toBe(broken);
  expect([pool.lent, pool.waiting]).toEqual([1, 0]);
});

test('a warmed engine screens as any other', async () => {
  const engine = new Engine(compiled, MIB);
  warmUp(engine);
  engine.begin({ format: Format.JSON, delimiter: 0, salt: new Uint8Array(32) });
  engine.write(new TextEncoder().encode('{"rows":[{"a":1}]}'));
  expect(engine.end()).toBe(Status.DONE);
  expect(engine.rows).toBe(1);
});

test('an engine that cannot be made is a 503, and its place is not lost', async () => {
  const pool = new EnginePool(compiled, 2 ** 32 - 1, 1);
  for (let i = 0; i < 3; i++)
    await expect(pool.lend()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect([pool.lent, pool.waiting]).toEqual([0, 0]);
});

test('who waits too long is turned away, and the engine stays for others', async () => {
  const pool = new EnginePool(compiled, MIB, 1, 1);
  const engine = await pool.lend();
  await expect(pool.lend()).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    headers: { 'Retry-After': '1' },
  });
  pool.giveBack(engine);
  expect(await pool.lend()).toBe(engine);
});
