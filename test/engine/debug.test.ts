/** The debug build of the engine: a failed assertion traps where the release build would read or write elsewhere. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { MAX_FIELDS } from '../../assembly/abi.ts';
import { compileEngine, Engine } from '../../src/engine/engine.ts';
import type { EngineExports } from '../../src/engine/exports.ts';
import { screenBytes } from './screen-bytes.ts';

const ROOT = join(import.meta.dir, '../..');
const BODY_BYTES = 64 * 1024;

let module: WebAssembly.Module;

beforeAll(async () => {
  const build = Bun.spawn([process.execPath, 'scripts/build-engine.ts', '--debug', '--if-stale'], {
    cwd: ROOT,
  });
  expect(await build.exited).toBe(0);
  module = await compileEngine(await Bun.file(join(ROOT, 'build/engine.debug.wasm')).bytes());
});

function exportsOf(): EngineExports {
  const exports = new WebAssembly.Instance(module).exports as unknown as EngineExports;
  exports.prepare(BODY_BYTES);
  return exports;
}

describe('the debug build', () => {
  test('screens a batch', () => {
    const engine = new Engine(module, BODY_BYTES);
    const body = new TextEncoder().encode('{"rows":[{"a":1,"b":"x"},{"a":2.5,"b":"\\u00e9"}]}');
    expect(screenBytes(engine, body).profile).toMatchObject({ rows: 2, analysedRows: 2 });
  });

  test('traps at a column that does not exist, and names the function', () => {
    expect(exportsOf().columnAddress(MAX_FIELDS - 1)).toBeGreaterThan(0);
    let stack = '';
    try {
      exportsOf().columnAddress(MAX_FIELDS);
    } catch (error) {
      stack = String((error as Error).stack);
      expect(error).toBeInstanceOf(WebAssembly.RuntimeError);
    }
    expect(stack).toContain('columnAddress');
  });

  test('traps at a body that is longer than its memory', () => {
    const exports = exportsOf();
    exports.begin(0, 0x2c, 1);
    exports.feed(BODY_BYTES, false);
    expect(() => exports.feed(BODY_BYTES + 1024, false)).toThrow(WebAssembly.RuntimeError);
  });
});
