/** Which thread a batch gets, and when. */
import { afterEach, describe, expect, test } from 'bun:test';
import type { StoredBaseline } from '../../src/stores/ports.ts';
import { type Thread, ThreadEnded } from '../../src/threads/thread.ts';
import { keyOf, type Slot, Threads, type Want } from '../../src/threads/threads.ts';

const NOTHING: StoredBaseline = {
  ...{ generation: '', version: 0, sequence: 0, complete: true, folded: null, tail: [] },
  notes: { settings: null, rules: null, pinned: false, run: null },
};
const known = { generation: 'g', version: 1, sequence: 1 };

const WANT: Want = { account: 'a', key: null, isSmall: true };

class FakeThread implements Thread {
  readonly opened = Promise.resolve();
  readonly asked: unknown[][] = [];
  answer: (name: string, order: { read?: { since: unknown } }) => unknown = () => ({ result: 'done', known });
  onEnd: () => void;

  constructor(onEnd: () => void) {
    this.onEnd = onEnd;
  }

  // biome-ignore lint/suspicious/noExplicitAny: any task
  async ask(name: string, order: any): Promise<any> {
    this.asked.push([name, order]);
    return this.answer(name, order);
  }

  end(): void {
    this.onEnd();
  }
}

const opened: Threads[] = [];
afterEach(() => {
  for (const threads of opened.splice(0)) threads.close();
});

function start(large: number, forSmall = 0): { threads: Threads; fakes: FakeThread[] } {
  const fakes: FakeThread[] = [];
  const threads = new Threads(
    onEnd => {
      const fake = new FakeThread(onEnd);
      fakes.push(fake);
      return fake;
    },
    large,
    forSmall,
  );
  opened.push(threads);
  return { threads, fakes };
}

const settle = (threads: Threads, slot: Slot, key: string) =>
  threads.askAt(slot.thread, 'summarise', { key }, async () => NOTHING);

test('a key names a source of an account, and no other', () => {
  expect(keyOf('a', 'b:c')).not.toBe(keyOf('a":"b', 'c'));
});

describe('a batch', () => {
  test('gets a thread at once while one is free, and waits then, first come, first served', async () => {
    const { threads } = start(2);
    const slots = [await threads.acquire(WANT), await threads.acquire(WANT)];
    expect(slots[0]!.thread).not.toBe(slots[1]!.thread);
    const order: number[] = [];
    const waits = [0, 1].map(i => threads.acquire(WANT).then(slot => [order.push(i), slot] as const));
    expect([threads.busy, threads.waiting]).toEqual([2, 2]);
    slots[1]!.release();
    const [, first] = await waits[0]!;
    expect(first.thread).toBe(slots[1]!.thread);
    slots[0]!.release();
    await waits[1];
    expect(order).toEqual([0, 1]);
  });

  test('releases its thread once, however often it says so', async () => {
    const { threads } = start(1);
    const slot = await threads.acquire(WANT);
    slot.release();
    const next = await threads.acquire(WANT);
    slot.release();
    expect(threads.busy).toBe(1);
    next.release();
    expect(threads.busy).toBe(0);
  });

  test('gets the thread where its source lives, even if another one is free', async () => {
    const { threads } = start(2);
    const slot = await threads.acquire(WANT);
    await settle(threads, slot, 'k');
    const waiting = threads.acquire({ ...WANT, key: 'k' });
    expect(threads.waiting).toBe(1);
    slot.release();
    expect((await waiting).thread).toBe(slot.thread);
  });

  test('goes to a free thread when that of its source is stuck, and the source lives there from then on', async () => {
    const { threads } = start(2);
    const home = await threads.acquire(WANT);
    await settle(threads, home, 'k');
    const other = await threads.acquire({ ...WANT, key: 'k' });
    expect(other.thread).not.toBe(home.thread);
    await settle(threads, other, 'k');
    other.release();
    home.release();
    expect((await threads.acquire({ ...WANT, key: 'k' })).thread).toBe(other.thread);
  });

  test('interrupts an upload that is still coming, once', async () => {
    const { threads } = start(1);
    const slot = await threads.acquire(WANT);
    let interrupts = 0;
    slot.interrupt = () => interrupts++;
    const waiting = [threads.acquire(WANT), threads.acquire(WANT)];
    expect(interrupts).toBe(1);
    slot.release();
    (await waiting[0]!).release();
    await waiting[1];
  });

  test('that is small finds a thread beside any number of large ones', async () => {
    const { threads } = start(2, 1);
    const large = { ...WANT, isSmall: false };
    const slots = [await threads.acquire(large), await threads.acquire(large)];
    const waiting = threads.acquire(large);
    expect([threads.busy, threads.waiting]).toEqual([2, 1]);
    const small = await threads.acquire(WANT);
    slots[0]!.release();
    expect((await waiting).thread).toBe(slots[0]!.thread);
    small.release();
  });

  test('goes ahead of those of an account that has more threads', async () => {
    const { threads } = start(2);
    const slots = [await threads.acquire(WANT), await threads.acquire(WANT)];
    const order: string[] = [];
    const waits = ['a', 'a', 'b'].map(account =>
      threads.acquire({ ...WANT, account }).then(slot => {
        order.push(account);
        slot.release();
      }),
    );
    slots[0]!.release();
    await Promise.all(waits);
    expect(order).toEqual(['b', 'a', 'a']);
  });
});

describe('a source', () => {
  test('is asked about with what is new since what its thread holds', async () => {
    const { threads } = start(1);
    const since: unknown[] = [];
    const read = async (from: unknown) => {
      since.push(from);
      return NOTHING;
    };
    for (let i = 0; i < 2; i++) await threads.ask('summarise', { key: 'k' }, read);
    expect(since).toEqual([null, known]);
    expect(threads.known('k')).toEqual(known);
  });

  test('is asked about with what is new since its fold', async () => {
    const { threads, fakes } = start(1);
    const folded = { ...known, version: 2 };
    fakes[0]!.answer = name => (name === 'foldEnded' ? folded : { result: 'done', known });
    await threads.ask('summarise', { key: 'k' }, async () => NOTHING);
    await threads.foldEnded('k', true);
    expect(threads.known('k')).toEqual(folded);
  });

  test('that moves to another thread while its fold ends is not moved back', async () => {
    const { threads, fakes } = start(2);
    const home = await threads.acquire(WANT);
    await settle(threads, home, 'k');
    const other = await threads.acquire(WANT);
    const moved = { ...known, sequence: 5 };
    for (const fake of fakes)
      fake.answer = async name => {
        if (name !== 'foldEnded') return { result: 'done', known: moved };
        await settle(threads, other, 'k');
        return { ...known, version: 2 };
      };
    await threads.foldEnded('k', true);
    expect(threads.knownIn(other.thread, 'k')).toEqual(moved);
  });

  test('that lives nowhere is not told of its fold', async () => {
    const { threads, fakes } = start(1);
    await threads.foldEnded('k', true);
    expect(fakes[0]!.asked).toEqual([]);
    expect(threads.known('k')).toBeNull();
  });

  test('is read again where its thread holds something else, at last from the beginning', async () => {
    const { threads, fakes } = start(1);
    const held = { ...known, sequence: 9 };
    const said: unknown[] = [];
    fakes[0]!.answer = (_, { read }) => {
      said.push(read!.since);
      return { result: said.length < 3 ? 'not held' : 'done', known: held };
    };
    expect(await threads.ask('summarise', { key: 'k' }, async () => NOTHING)).toBe('done' as never);
    expect(said).toEqual([null, held, null]);
  });

  test('whose thread ends is asked about in the next one', async () => {
    const { threads, fakes } = start(1);
    fakes[0]!.answer = () => {
      fakes[0]!.end();
      throw new ThreadEnded(false);
    };
    expect(await threads.ask('summarise', { key: 'k' }, async () => NOTHING)).toBe('done' as never);
    expect(fakes).toHaveLength(2);
  });

  test('whose task takes too long is refused, and not tried again', async () => {
    const { threads, fakes } = start(1);
    fakes[0]!.answer = () => {
      fakes[0]!.end();
      throw new ThreadEnded(true);
    };
    const asked = threads.ask('summarise', { key: 'k' }, async () => NOTHING);
    await expect(asked).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(fakes[1]!.asked).toEqual([]);
  });
});
