import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { compileEngine } from '../../src/engine/engine.ts';
import { EnginePool } from '../../src/engine/pool.ts';

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
  expect(pool.load).toEqual({ lent: 2, waiting: 0 });
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
  expect(pool.load).toEqual({ lent: 1, waiting: 2 });
  pool.giveBack(engine);
  await Promise.all(waiters);
  expect(served).toEqual(['first', 'second']);
  expect(pool.load).toEqual({ lent: 0, waiting: 0 });
});

test('an engine given up is replaced, for those who wait too', async () => {
  const pool = new EnginePool(compiled, MIB, 1);
  const broken = await pool.lend();
  const waiting = pool.lend();
  pool.giveUp();
  expect(await waiting).not.toBe(broken);
  expect(pool.load).toEqual({ lent: 1, waiting: 0 });
});
