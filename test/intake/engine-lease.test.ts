import { beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Format } from '../../assembly/abi.ts';
import { compileEngine, type Engine } from '../../src/engine/engine.ts';
import { EnginePool } from '../../src/engine/pool.ts';
import { BufferedBytes, EngineLease } from '../../src/intake/engine-lease.ts';

const wasm = join(import.meta.dir, '../../build/engine.wasm');
const compiled = await compileEngine(await Bun.file(wasm).bytes());
const START = { format: Format.JSON, delimiter: 0, salt: new Uint8Array(32).fill(9) };
const BODY = '{"source":"turns","rows":[{"a":1},{"a":"x"}]}';
const bytes = (text: string) => new TextEncoder().encode(text);

let pool: EnginePool;
let clock: number;
let lease: EngineLease<Engine>;
beforeEach(() => {
  pool = new EnginePool(compiled, 1024 * 1024, 1);
  clock = 0;
  lease = new EngineLease(pool, 'account', START, () => clock);
});

/** Ends the body and reads what the engine has of it. */
async function rows(text = ''): Promise<number> {
  if (text !== '') await lease.write(bytes(text));
  const engine = await lease.end();
  const { source } = engine.envelope();
  expect(source).toBe('turns');
  lease.close(true);
  return engine.rows;
}

describe('an engine lease', () => {
  test('keeps its engine while no other batch waits', async () => {
    await lease.write(bytes(BODY.slice(0, 20)));
    clock = 1e9;
    await lease.pause();
    await lease.write(bytes(BODY.slice(20, 30)));
    expect(pool.lent).toBe(1);
    expect(await rows(BODY.slice(30))).toBe(2);
    expect(pool.lent).toBe(0);
  });

  test('gives its engine back in a pause when another batch waits, and loses no byte', async () => {
    await lease.write(bytes(BODY.slice(0, 30)));
    const other = pool.lend();
    await lease.pause();
    pool.giveBack(await other);
    await lease.write(bytes(BODY.slice(30, 35)));
    expect(await rows(BODY.slice(35))).toBe(2);
  });

  test('of few bytes gives its engine back after 25 ms when another batch waits, and not before', async () => {
    await lease.write(bytes(BODY.slice(0, 10)));
    const other = pool.lend();
    clock = 25;
    await lease.write(bytes(BODY.slice(10, 20)));
    expect(pool.waiting).toBe(1);
    clock = 26;
    await lease.write(bytes(BODY.slice(20, 25)));
    expect(pool.waiting).toBe(0);
    pool.giveBack(await other);
    expect(await rows(BODY.slice(25))).toBe(2);
  });

  test('keeps its engine longer the more bytes arrived, up to one second', async () => {
    pool = new EnginePool(compiled, 16 * 1024 * 1024, 1);
    lease = new EngineLease(pool, 'account', START, () => clock);
    await lease.write(bytes(BODY.slice(0, 26) + ' '.repeat(400 * 4096)));
    const other = pool.lend();
    clock = 400;
    await lease.write(bytes(' '.repeat(4_000_000)));
    expect(pool.waiting).toBe(1);
    clock = 1001;
    await lease.write(bytes(' '));
    expect(pool.waiting).toBe(0);
    pool.giveBack(await other);
    expect(await rows(BODY.slice(26))).toBe(2);
  });

  test('waits for its client only briefly while another batch waits for its engine', async () => {
    await lease.write(bytes(BODY.slice(0, 10)));
    expect(lease.pauseMs).toBe(200);
    const other = pool.lend();
    expect(lease.pauseMs).toBe(25);
    await lease.pause();
    expect(lease.pauseMs).toBe(200);
    pool.giveBack(await other);
    lease.close(true);
  });

  test('buffers single bytes while other batches have the engine', async () => {
    const long = `{"source":"turns","rows":[${'{"a":1},'.repeat(500)}{}]}`;
    await lease.write(bytes(long.slice(0, 3)));
    const other = pool.lend();
    await lease.pause();
    for (const character of long.slice(3)) await lease.write(bytes(character));
    expect(pool.waiting).toBe(0);
    pool.giveBack(await other);
    expect(await rows()).toBe(501);
  });

  test('parses a long row that trickles in after half a second, with or without a pause', async () => {
    await lease.write(bytes(`{"rows":[{"a":"${'x'.repeat(100_000)}`));
    await lease.write(bytes('\x01'));
    clock = 500;
    await lease.write(bytes('y'));
    clock = 501;
    await expect(lease.write(bytes('y'))).rejects.toMatchObject({ code: 'INVALID_JSON' });
  });

  test('rejects in a pause the bytes that arrived without an engine', async () => {
    await lease.write(bytes('{"rows":['));
    const other = pool.lend();
    await lease.pause();
    await lease.write(bytes('1'));
    pool.giveBack(await other);
    await expect(lease.pause()).rejects.toMatchObject({ code: 'INVALID_ROWS' });
  });

  test('keeps its engine for a second when the shared buffer is full, and then is rejected', async () => {
    const buffered = new BufferedBytes(29);
    lease = new EngineLease(pool, 'account', START, () => clock, buffered);
    await lease.write(bytes(BODY.slice(0, 30)));
    const other = pool.lend();
    await lease.pause();
    clock = 1000;
    await lease.pause();
    expect([pool.waiting, buffered.bytes]).toEqual([1, 0]);
    clock = 1001;
    await expect(lease.pause()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    lease.close(true);
    pool.giveBack(await other);
  });

  test('is rejected when it overflows the shared buffer, and releases its share', async () => {
    const buffered = new BufferedBytes(30);
    lease = new EngineLease(pool, 'account', START, () => clock, buffered);
    await lease.write(bytes(BODY.slice(0, 29)));
    const other = pool.lend();
    await lease.pause();
    await lease.write(bytes('1'));
    expect(buffered.bytes).toBe(30);
    await expect(lease.write(bytes('2'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    lease.close(true);
    expect(buffered.bytes).toBe(0);
    pool.giveBack(await other);
  });

  test('lends its engine to others when suspended, and has the whole body again afterwards', async () => {
    lease = new EngineLease(pool, 'account', { ...START, format: Format.NDJSON }, () => clock);
    await lease.write(bytes('{"a":1}\n{"a":2}'));
    expect((await lease.end()).rows).toBe(2);
    lease.suspend();
    lease.suspend();
    expect(pool.lent).toBe(0);
    const other = await pool.lend();
    other.begin(START);
    other.write(bytes('{"source":"another"'));
    pool.giveBack(other);
    expect((await lease.end()).rows).toBe(2);
    lease.close(true);
  });

  test('keeps its engine when suspended without room in the buffer', async () => {
    lease = new EngineLease(pool, 'account', START, () => clock, new BufferedBytes(BODY.length - 1));
    await lease.write(bytes(BODY));
    const engine = await lease.end();
    lease.suspend();
    expect(pool.lent).toBe(1);
    expect(await lease.end()).toBe(engine);
    expect(await rows()).toBe(2);
  });

  test('takes no engine in a pause before the first byte', async () => {
    await lease.pause();
    expect(pool.lent).toBe(0);
  });
});
