/** How the bytes of an upload reach a thread: all of them, in their order, whatever others want meanwhile. */
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Format } from '../../assembly/abi.ts';
import { Rejection } from '../../src/terms/errors.ts';
import type { ParseOrder } from '../../src/threads/tasks.ts';
import type { Thread } from '../../src/threads/thread.ts';
import { KeptBytes } from '../../src/threads/kept-bytes.ts';
import { ThreadedBody } from '../../src/threads/threaded-body.ts';
import { Threads } from '../../src/threads/threads.ts';

const KIB = 1024;
const START = {
  ...{ format: Format.JSON, delimiter: 44, isDelimiterGiven: false, named: null },
  salt: new Uint8Array(16),
};

/** Keeps the bytes of the body that it parses, and answers when it is told to. */
class FakeThread implements Thread {
  readonly opened = Promise.resolve();
  held: number[] = [];
  readonly messages: ParseOrder[] = [];
  forgotten = 0;
  /** Throws to refuse. */
  check: (order: ParseOrder) => void = () => {};
  #answers: (() => void)[] = [];

  // biome-ignore lint/suspicious/noExplicitAny: any task
  ask(name: string, order: any): Promise<any> {
    return new Promise((resolve, reject) => {
      this.#answers.push(() => {
        try {
          if (name === 'forget') resolve(this.forgotten++);
          else resolve(name === 'received' ? this.#received() : this.#parse(order));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Answers all that was asked. */
  async answer(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) {
      this.#answers.shift()?.();
      await Promise.resolve();
    }
  }

  end(): void {}

  #received(): Uint8Array {
    return Uint8Array.from(this.held);
  }

  #parse(order: ParseOrder) {
    this.messages.push(order);
    if (order.start) this.held = [];
    for (const bytes of order.pieces) this.held.push(...bytes.filter(byte => byte !== 0));
    this.check(order);
    return order.isLast ? { source: 's', rows: 1, dryRun: false, judged: null } : null;
  }
}

function upload(kept = new KeptBytes()) {
  const thread = new FakeThread();
  const threads = new Threads(() => thread, 1);
  const body = new ThreadedBody(threads, 'account', START, () => null, undefined, kept);
  return { thread, threads, body, kept };
}

/** A piece that names itself by its only bytes that are not 0. */
function piece(id: number, bytes: number): Uint8Array {
  const made = new Uint8Array(bytes);
  made.set([id + 1, id + 101]);
  return made;
}

test('pieces that come while earlier ones are parsed go on together', async () => {
  const { thread, body } = upload();
  for (let id = 0; id < 4; id++) await body.write(piece(id, 256 * KIB));
  await thread.answer();
  expect(thread.messages.map(({ pieces }) => pieces.length)).toEqual([1, 3]);
  const parsed = body.end();
  await thread.answer();
  expect(await parsed).toMatchObject({ rows: 1 });
  expect(thread.held).toEqual([1, 101, 2, 102, 3, 103, 4, 104]);
});

test('a client waits while 1 MiB waits for the thread', async () => {
  const { thread, body, kept } = upload();
  await body.write(piece(0, 256 * KIB));
  await body.write(piece(1, 1024 * KIB - 1));
  let isTaken = false;
  const write = body.write(piece(2, 2)).then(() => {
    isTaken = true;
  });
  await Promise.resolve();
  expect([isTaken, kept.bytes]).toEqual([false, 1024 * KIB + 1]);
  await thread.answer();
  await write;
  expect(kept.bytes).toBe(0);
});

test('what the thread refuses is thrown by the next write, and by the end', async () => {
  for (const next of ['write', 'end'] as const) {
    const { thread, body } = upload();
    thread.check = () => {
      throw new Rejection('INVALID_JSON', 'refused');
    };
    await body.write(piece(0, 256 * KIB));
    if (next === 'write') await thread.answer();
    const asked = next === 'write' ? body.write(piece(1, 4)) : body.end();
    asked.catch(() => {});
    await thread.answer();
    await expect(asked).rejects.toThrow('refused');
    body.close();
  }
});

test('a body that ends while its thread gives it back keeps no bytes', async () => {
  const { thread, threads, body, kept } = upload();
  await body.write(piece(0, 256 * KIB));
  await thread.answer();
  body.giveBack();
  body.close();
  await thread.answer();
  expect([kept.bytes, threads.busy]).toEqual([0, 0]);
});

test('a body that is not judged is forgotten by its thread, and one that is judged needs no message', async () => {
  for (const end of ['close', 'release'] as const) {
    const { thread, threads, body } = upload();
    await body.write(piece(0, 256 * KIB));
    await thread.answer();
    body[end]();
    await thread.answer();
    expect(thread.forgotten).toBe(end === 'close' ? 1 : 0);
    expect(threads.busy).toBe(0);
  }
});

test('single bytes are joined', async () => {
  const { thread, threads, body } = upload();
  // Another batch has the thread.
  const slot = threads.free({ account: 'other', key: null, isSmall: true })!;
  const sent = Array.from({ length: 2000 }, (_, i) => (i % 255) + 1);
  for (const byte of sent) await body.write(Uint8Array.of(byte));
  slot.release();
  const parsed = body.end();
  await thread.answer();
  await parsed;
  expect(thread.held).toEqual(sent);
  expect(thread.messages.flatMap(({ pieces }) => pieces).length).toBeLessThan(256 + 2000 / 256);
});

test('the thread gets all bytes in their order, however often it is given to others', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('write' as const), bytes: fc.integer({ min: 2, max: 700 * KIB }) }),
    fc.record({ do: fc.constantFrom('answer' as const, 'pause' as const, 'other' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async steps => {
      const { thread, threads, body, kept } = upload();
      const sent: number[] = [];
      const settle = async (asked: Promise<unknown>) => {
        let isDone = false;
        asked.then(
          () => {
            isDone = true;
          },
          () => {
            isDone = true;
          },
        );
        for (let turn = 0; turn < 50 && !isDone; turn++) await thread.answer();
        return asked;
      };
      for (const [id, each] of steps.entries())
        if (each.do === 'write') {
          sent.push(id + 1, id + 101);
          await settle(body.write(piece(id, each.bytes)));
        } else if (each.do === 'pause') await settle(body.pause());
        else if (each.do === 'answer') await thread.answer();
        else {
          const slot = threads.acquire({ account: 'other', key: null, isSmall: true });
          (await settle(slot).then(() => slot)).release();
        }
      await settle(body.end());
      expect(thread.held).toEqual(sent);
      body.close();
      expect([threads.busy, kept.bytes]).toEqual([0, 0]);
      threads.close();
    }),
  );
});

test('a body of up to 64 KiB does not wait for room; with one byte more it waits until others make room', async () => {
  const kept = new KeptBytes(1024 * KIB);
  const others = {};
  kept.add(800 * KIB);
  await kept.room(others);
  const { body } = upload(kept);
  await body.write(piece(0, 32 * KIB));
  await body.write(piece(1, 32 * KIB));
  let isTaken = false;
  const write = body.write(piece(2, 3)).then(() => {
    isTaken = true;
  });
  await Bun.sleep(0);
  expect(isTaken).toBe(false);
  kept.remove(others, 800 * KIB);
  await write;
  expect(kept.bytes).toBe(64 * KIB + 3);
});
