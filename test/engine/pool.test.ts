import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Format, Status } from '../../assembly/abi.ts';
import { compileEngine, Engine } from '../../src/engine/engine.ts';
import { EnginePool } from '../../src/engine/pool.ts';
import { warmUp } from '../../src/engine/warm.ts';

const wasm = Bun.file(join(import.meta.dir, '../../build/engine.wasm'));
const compiled = await compileEngine(new Uint8Array(await wasm.arrayBuffer()));
const MIB = 1024 * 1024;

test('the pool reuses engines and makes no more than its size', async () => {
  const pool = new EnginePool(compiled, MIB, 2);
  const first = await pool.lend();
  const second = await pool.lend();
  pool.giveBack(first);
  expect(await pool.lend()).toBe(first);
  expect(second).not.toBe(first);
  expect([pool.lent, pool.waiting]).toEqual([2, 0]);
});

test('a caller that finds no free engine waits', async () => {
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

test('an account leaves two engines to others, and theirs go ahead of its own', async () => {
  const pool = new EnginePool(compiled, MIB, 4);
  const [first] = await Promise.all([pool.lend('greedy'), pool.lend('greedy')]);
  const served: string[] = [];
  const waiters = ['greedy', 'greedy'].map(async name => {
    const engine = await pool.lend(name);
    served.push(name);
    return engine;
  });
  expect([pool.lent, pool.waiting]).toEqual([2, 2]);
  const [other] = await Promise.all([pool.lend('other'), pool.lend('third')]);
  const late = pool.lend('other').then(engine => {
    served.push('other');
    return engine;
  });
  expect([pool.lent, pool.waiting]).toEqual([4, 3]);
  pool.giveBack(other);
  await late;
  expect(served).toEqual(['other']);
  pool.giveBack(first);
  await Promise.any(waiters);
  expect(served).toEqual(['other', 'greedy']);
});

test('a discarded engine is replaced, for waiting callers too', async () => {
  const pool = new EnginePool(compiled, MIB, 1);
  const broken = await pool.lend();
  const waiting = pool.lend();
  pool.giveUp(broken);
  expect(await waiting).not.toBe(broken);
  expect([pool.lent, pool.waiting]).toEqual([1, 0]);
});

test('a warmed engine screens like any other', async () => {
  const engine = new Engine(compiled, MIB);
  warmUp(engine);
  engine.begin({ format: Format.JSON, delimiter: 0, salt: new Uint8Array(32) });
  engine.write(new TextEncoder().encode('{"rows":[{"a":1}]}'));
  expect(engine.end()).toBe(Status.DONE);
  expect(engine.rows).toBe(1);
});

test('an engine that cannot be made is a 503, and the pool keeps its place', async () => {
  const pool = new EnginePool(compiled, 2 ** 32 - 1, 1);
  for (let i = 0; i < 3; i++)
    await expect(pool.lend()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect([pool.lent, pool.waiting]).toEqual([0, 0]);
});

test('a caller that waits too long gets a 503, and the engine serves others', async () => {
  const pool = new EnginePool(compiled, MIB, 1, 1);
  const engine = await pool.lend();
  await expect(pool.lend()).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    headers: { 'Retry-After': '1' },
  });
  pool.giveBack(engine);
  expect(await pool.lend()).toBe(engine);
});

/** A batch with this many columns. */
function parse(engine: Engine, columns: number): void {
  const row = Object.fromEntries(Array.from({ length: columns }, (_, i) => [`f${i}`, i]));
  engine.begin({ format: Format.JSON, delimiter: 0, salt: new Uint8Array(32) });
  engine.write(new TextEncoder().encode(JSON.stringify({ rows: [row] })));
  expect(engine.end()).toBe(Status.DONE);
}

describe('memories', () => {
  const WIDEST = 2000;
  /** The memory of each engine exists until `collect` is called after its release. */
  function counted(size: number) {
    const counts = { collections: 0 };
    const pool = new EnginePool(compiled, MIB, size, undefined, () => counts.collections++);
    return { pool, counts };
  }

  test('concurrent batches of 2,000 columns are all served by the engines of the pool', async () => {
    const { pool, counts } = counted(2);
    const seen = new Set<Engine>();
    const batches = Array.from({ length: 10 }, async () => {
      const engine = await pool.lend();
      seen.add(engine);
      parse(engine, WIDEST);
      await Promise.resolve();
      pool.giveBack(engine);
    });
    await Promise.all(batches);
    expect([seen.size, counts.collections]).toEqual([2, 0]);
  });

  test('an idle engine with an enlarged memory is released after a while, others stay', async () => {
    const { pool, counts } = counted(2);
    const [wide, narrow] = [await pool.lend(), await pool.lend()];
    parse(wide, WIDEST);
    parse(narrow, 20);
    pool.giveBack(wide);
    pool.giveBack(narrow);
    pool.trim();
    expect(counts.collections).toBe(0);
    pool.trim();
    expect(counts.collections).toBe(1);
    const lent = [await pool.lend(), await pool.lend()];
    expect(lent).toContain(narrow);
    expect(lent).not.toContain(wide);
  });

  test('garbage is collected before there could be more memories than engines in the pool', async () => {
    const { pool, counts } = counted(3);
    await pool.lend();
    const collected = [];
    for (let given = 0; given < 5; given++) {
      const engine = await pool.lend();
      pool.giveUp(engine);
      collected.push(counts.collections);
    }
    // One is lent; two more may not be collected yet.
    expect(collected).toEqual([0, 0, 1, 1, 2]);
  });
});

test('memory grows in few steps, because growing may copy it', () => {
  const engine = new Engine(compiled, MIB);
  const row = Array.from({ length: 2000 }, (_, i) => `"f${i}":${i}`).join(',');
  const bytes = new TextEncoder().encode(`{"rows":[{${row}}]}`);
  engine.begin({ format: Format.JSON, delimiter: 0, salt: new Uint8Array(32) });
  const sizes = new Set([engine.memoryBytes]);
  for (let at = 0; at < bytes.length; at += 16) {
    engine.write(bytes.subarray(at, at + 16));
    sizes.add(engine.memoryBytes);
  }
  expect(engine.end()).toBe(Status.DONE);
  expect(sizes.size).toBeLessThan(15);
});
