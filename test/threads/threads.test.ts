/** Which thread a batch gets, and when. */
import { afterEach, describe, expect, test } from 'bun:test';
import type { StoredBaseline } from '../../src/stores/ports.ts';
import { MAX_THREADS } from '../../src/threads/limits.ts';
import { type Thread, ThreadEnded } from '../../src/threads/thread.ts';
import { keyOf, type Slot, Threads } from '../../src/threads/threads.ts';

const NOTHING: StoredBaseline = {
  ...{ generation: '', version: 0, sequence: 0, complete: true, folded: null, tail: [] },
  notes: { settings: null, rules: null, pinned: false, run: null },
};
const known = { generation: 'g', version: 1, sequence: 1 };

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

function start(count: number): { threads: Threads; fakes: FakeThread[] } {
  const fakes: FakeThread[] = [];
  const threads = new Threads(onEnd => {
    const fake = new FakeThread(onEnd);
    fakes.push(fake);
    return fake;
  }, count);
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
    const slots = [await threads.acquire(null), await threads.acquire(null)];
    expect(slots[0]!.thread).not.toBe(slots[1]!.thread);
    const order: number[] = [];
    const waits = [0, 1].map(i => threads.acquire(null).then(slot => [order.push(i), slot] as const));
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
    const slot = await threads.acquire(null);
    slot.release();
    const next = await threads.acquire(null);
    slot.release();
    expect(threads.busy).toBe(1);
    next.release();
    expect(threads.busy).toBe(0);
  });

  test('gets the thread where its source lives, even if another one is free', async () => {
    const { threads } = start(2);
    const slot = await threads.acquire(null);
    await settle(threads, slot, 'k');
    const waiting = threads.acquire('k');
    expect(threads.waiting).toBe(1);
    slot.release();
    expect((await waiting).thread).toBe(slot.thread);
  });

  test('goes to a free thread when that of its source is stuck, and the source lives there from then on', async () => {
    const { threads } = start(2);
    const home = await threads.acquire(null);
    await settle(threads, home, 'k');
    const other = await threads.acquire('k');
    expect(other.thread).not.toBe(home.thread);
    await settle(threads, other, 'k');
    other.release();
    home.release();
    expect((await threads.acquire('k')).thread).toBe(other.thread);
  });

  test('interrupts an upload that is still coming, once', async () => {
    const { threads } = start(1);
    const slot = await threads.acquire(null);
    let interrupts = 0;
    slot.interrupt = () => interrupts++;
    const waiting = [threads.acquire(null), threads.acquire(null)];
    expect(interrupts).toBe(1);
    slot.release();
    (await waiting[0]!).release();
    await waiting[1];
  });

  test('that waits for long gets a further thread, and there are never more than 8', async () => {
    const { threads, fakes } = start(1);
    const slots = await Promise.all(Array.from({ length: MAX_THREADS }, () => threads.acquire(null)));
    expect(new Set(slots.map(({ thread }) => thread)).size).toBe(MAX_THREADS);
    threads.acquire(null);
    await Bun.sleep(700);
    expect(fakes).toHaveLength(MAX_THREADS);
    expect(threads.waiting).toBe(1);
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
