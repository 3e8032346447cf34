/** Inputs that the fuzzer found, and that the program has been wrong about: none is a fault any more. */
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type KeptInput, inputIn } from './input.ts';
import { faultOf, Judge } from './judge.ts';
import { TARGETS } from './targets.ts';

const FOLDER = join(import.meta.dir, 'kept');
const ROOT = join(import.meta.dir, '../..');

const judges = new Map<string, Judge>();
afterAll(async () => {
  for (const judge of judges.values()) await judge.stop();
});

test.each([...new Bun.Glob('*.json').scanSync(FOLDER)].toSorted())(
  '%s is read in time and memory, and answered as documented',
  async file => {
    const kept = (await Bun.file(join(FOLDER, file)).json()) as KeptInput;
    const target = TARGETS[kept.target]!;
    const judge = judges.get(kept.target) ?? new Judge(target, ROOT);
    judges.set(kept.target, judge);
    const outcome = await judge.confirm(inputIn(kept));
    expect(outcome && faultOf(outcome, target)).toBeNull();
  },
);
