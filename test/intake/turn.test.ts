import { beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Format } from '../../assembly/abi.ts';
import { compileEngine, type Engine } from '../../src/engine/engine.ts';
import { EnginePool } from '../../src/engine/pool.ts';
import { KeptBytes, Turn } from '../../src/intake/turn.ts';

const wasm = join(import.meta.dir, '../../build/engine.wasm');
const compiled = await compileEngine(await Bun.file(wasm).bytes());
const START = { format: Format.JSON, delimiter: 0, salt: new Uint8Array(32).fill(9) };
const BODY = '{"source":"turns","rows":[{"a":1},{"a":"x"}]}';
const bytes = (text: string) => new TextEncoder().encode(text);

let pool: EnginePool;
let clock: number;
let turn: Turn<Engine>;
beforeEach(() => {
  pool = new EnginePool(compiled, 1024 * 1024, 1);
  clock = 0;
  turn = new Turn(pool, START, () => clock);
});

/** Ends the body and reads what the engine has of it. */
async function rows(text = ''): Promise<number> {
  if (text !== '') await turn.write(bytes(text));
  const engine = await turn.end();
  const { source } = engine.envelope();
  expect(source).toBe('turns');
  turn.close(true);
  return engine.rows;
}

describe("a batch's turn", () => {
  test('keeps its engine while nobody waits', async () => {
    await turn.write(bytes(BODY.slice(0, 20)));
    clock = 1e9;
    await turn.pause();
    await turn.write(bytes(BODY.slice(20, 30)));
    expect(pool.lent).toBe(1);
    expect(await rows(BODY.slice(30))).toBe(2);
    expect(pool.lent).toBe(0);
  });

  test('gives it up in a pause when somebody waits, and loses no byte', async () => {
    await turn.write(bytes(BODY.slice(0, 30)));
    const other = pool.lend();
    await turn.pause();
    pool.giveBack(await other);
    await turn.write(bytes(BODY.slice(30, 35)));
    expect(await rows(BODY.slice(35))).toBe(2);
  });

  test('of few bytes gives it up after a moment when somebody waits, and not before', async () => {
    await turn.write(bytes(BODY.slice(0, 10)));
    const other = pool.lend();
    clock = 25;
    await turn.write(bytes(BODY.slice(10, 20)));
    expect(pool.waiting).toBe(1);
    clock = 26;
    await turn.write(bytes(BODY.slice(20, 25)));
    expect(pool.waiting).toBe(0);
    pool.giveBack(await other);
    expect(await rows(BODY.slice(25))).toBe(2);
  });

  test('keeps it the longer the more has come, but no longer than a second', async () => {
    pool = new EnginePool(compiled, 16 * 1024 * 1024, 1);
    turn = new Turn(pool, START, () => clock);
    await turn.write(bytes(BODY.slice(0, 26) + ' '.repeat(400 * 4096)));
    const other = pool.lend();
    clock = 400;
    await turn.write(bytes(' '.repeat(4_000_000)));
    expect(pool.waiting).toBe(1);
    clock = 1001;
    await turn.write(bytes(' '));
    expect(pool.waiting).toBe(0);
    pool.giveBack(await other);
    expect(await rows(BODY.slice(26))).toBe(2);
  });

  test('waits for its client only briefly while somebody waits for its engine', async () => {
    await turn.write(bytes(BODY.slice(0, 10)));
    expect(turn.pauseMs).toBe(200);
    const other = pool.lend();
    expect(turn.pauseMs).toBe(25);
    await turn.pause();
    expect(turn.pauseMs).toBe(200);
    pool.giveBack(await other);
    turn.close(true);
  });

  test('collects single bytes while others work', async () => {
    const long = `{"source":"turns","rows":[${'{"a":1},'.repeat(500)}{}]}`;
    await turn.write(bytes(long.slice(0, 3)));
    const other = pool.lend();
    await turn.pause();
    for (const character of long.slice(3)) await turn.write(bytes(character));
    expect(pool.waiting).toBe(0);
    pool.giveBack(await other);
    expect(await rows()).toBe(501);
  });

  test('parses a long row that trickles in after half a second, pause or not', async () => {
    await turn.write(bytes(`{"rows":[{"a":"${'x'.repeat(100_000)}`));
    await turn.write(bytes('\x01'));
    clock = 500;
    await turn.write(bytes('y'));
    clock = 501;
    await expect(turn.write(bytes('y'))).rejects.toMatchObject({ code: 'INVALID_JSON' });
  });

  test('refuses in a pause what came while there was no engine', async () => {
    await turn.write(bytes('{"rows":['));
    const other = pool.lend();
    await turn.pause();
    await turn.write(bytes('1'));
    pool.giveBack(await other);
    await expect(turn.pause()).rejects.toMatchObject({ code: 'INVALID_ROWS' });
  });

  test('keeps its engine for a second when all uploads together keep as much as they may, and then is refused', async () => {
    const kept = new KeptBytes(29);
    turn = new Turn(pool, START, () => clock, kept);
    await turn.write(bytes(BODY.slice(0, 30)));
    const other = pool.lend();
    await turn.pause();
    clock = 1000;
    await turn.pause();
    expect([pool.waiting, kept.bytes]).toEqual([1, 0]);
    clock = 1001;
    await expect(turn.pause()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    turn.close(true);
    pool.giveBack(await other);
  });

  test('is refused when it collects more than that, and gives back its share', async () => {
    const kept = new KeptBytes(30);
    turn = new Turn(pool, START, () => clock, kept);
    await turn.write(bytes(BODY.slice(0, 29)));
    const other = pool.lend();
    await turn.pause();
    await turn.write(bytes('1'));
    expect(kept.bytes).toBe(30);
    await expect(turn.write(bytes('2'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    turn.close(true);
    expect(kept.bytes).toBe(0);
    pool.giveBack(await other);
  });

  test('lends its engine to others when it rests, and has the whole body again afterwards', async () => {
    turn = new Turn(pool, { ...START, format: Format.NDJSON }, () => clock);
    await turn.write(bytes('{"a":1}\n{"a":2}'));
    expect((await turn.end()).rows).toBe(2);
    turn.rest();
    turn.rest();
    expect(pool.lent).toBe(0);
    const other = await pool.lend();
    other.begin(START);
    other.write(bytes('{"source":"another"'));
    pool.giveBack(other);
    expect((await turn.end()).rows).toBe(2);
    turn.close(true);
  });

  test('keeps its engine through a rest when there is no room for the bytes', async () => {
    turn = new Turn(pool, START, () => clock, new KeptBytes(BODY.length - 1));
    await turn.write(bytes(BODY));
    const engine = await turn.end();
    turn.rest();
    expect(pool.lent).toBe(1);
    expect(await turn.end()).toBe(engine);
    expect(await rows()).toBe(2);
  });

  test('takes no engine in a pause when no byte has come', async () => {
    await turn.pause();
    expect(pool.lent).toBe(0);
  });
});
