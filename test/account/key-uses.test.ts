import { describe, expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import '../property/seed.ts';
import { KeyUses } from '../../src/account/key-uses.ts';

/** A store that keeps the latest use by key, and fails on request. */
function storeOfUses() {
  const written = new Map<string, number>();
  const state = { failing: false, writes: 0, most: 0 };
  const touch = async (uses: ReadonlyMap<string, number>) => {
    const copy = new Map(uses);
    // As a real one does, it takes its time.
    await Promise.resolve();
    if (state.failing) throw new Error('no store');
    state.writes++;
    state.most = Math.max(state.most, copy.size);
    for (const [id, at] of copy) written.set(id, Math.max(at, written.get(id) ?? 0));
  };
  return { written, state, uses: new KeyUses({ touch }) };
}

const never = (id: string) => ({ id, lastUsed: null });

describe('the uses of keys', () => {
  test('are visible before they are written', () => {
    const { uses, state } = storeOfUses();
    uses.note('a', 5);
    expect(uses.lastUsed(never('a'))).toBe(5);
    expect(uses.lastUsed(never('b'))).toBeNull();
    expect(state.writes).toBe(0);
  });

  test('are the later of the store and this process', () => {
    const { uses } = storeOfUses();
    uses.note('a', 5);
    expect(uses.lastUsed({ id: 'a', lastUsed: 9 })).toBe(9);
    expect(uses.lastUsed({ id: 'a', lastUsed: 4 })).toBe(5);
    expect(uses.lastUsed({ id: 'b', lastUsed: 4 })).toBe(4);
  });

  test('are written once, for any number of uses', async () => {
    const { uses, written, state } = storeOfUses();
    for (const at of [3, 7, 5]) uses.note('a', at);
    await uses.flush();
    await uses.flush();
    expect([...written]).toEqual([['a', 7]]);
    expect(state.writes).toBe(1);
  });

  test('ignore requests without a key', async () => {
    const { uses, state } = storeOfUses();
    uses.note(null, 5);
    await uses.flush();
    expect(state.writes).toBe(0);
  });

  test('are kept if the write fails, and written next time', async () => {
    const { uses, written, state } = storeOfUses();
    uses.note('a', 5);
    state.failing = true;
    await expect(uses.flush()).rejects.toThrow('no store');
    expect(uses.lastUsed(never('a'))).toBe(5);
    uses.note('b', 6);
    state.failing = false;
    await uses.flush();
    expect(written).toEqual(new Map([['a', 5]]).set('b', 6));
  });

  test('of many keys are written in short pieces, with other requests in between', async () => {
    const { uses, written, state } = storeOfUses();
    for (let key = 0; key < 1_001; key++) uses.note(`key_${key}`, key);
    let writesAtATurn = 0;
    const turn = setImmediate().then(() => {
      writesAtATurn = state.writes;
    });
    await Promise.all([uses.flush(), turn]);
    expect(written.size).toBe(1_001);
    expect(state).toMatchObject({ most: 100, writes: 11 });
    expect(writesAtATurn).toBeLessThan(11);
  });

  test('written before a store failed are not written again', async () => {
    const { uses, written, state } = storeOfUses();
    for (let key = 0; key < 150; key++) uses.note(`key_${key}`, key);
    const flush = uses.flush().catch(String);
    await setImmediate();
    state.failing = true;
    expect(await flush).toBe('Error: no store');
    expect(written.size).toBe(100);
    state.failing = false;
    await uses.flush();
    expect([written.size, state.writes]).toEqual([150, 2]);
  });

  test('are never lost, even if recorded during a write that fails', async () => {
    const step = fc.oneof(
      fc.record({ key: fc.constantFrom('a', 'b', '__proto__'), at: fc.nat(20) }),
      fc.constantFrom('flush', 'failing flush', 'wait'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async steps => {
        const { uses, written, state } = storeOfUses();
        const noted = new Map<string, number>();
        const flushes: Promise<unknown>[] = [];
        for (const each of steps) {
          if (each === 'wait') await Promise.resolve();
          else if (typeof each === 'string') {
            state.failing = each === 'failing flush';
            flushes.push(uses.flush().catch(() => {}));
          } else {
            uses.note(each.key, each.at);
            noted.set(each.key, Math.max(each.at, noted.get(each.key) ?? 0));
          }
          for (const [id, at] of noted)
            expect(uses.lastUsed({ id, lastUsed: written.get(id) ?? null })).toBe(at);
        }
        await Promise.all(flushes);
        state.failing = false;
        await uses.flush();
        expect(written).toEqual(noted);
      }),
    );
  });
});
