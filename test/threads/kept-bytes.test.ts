/** Many uploads share one room for their bytes: none is refused while the others make room. */
import { expect, test } from 'bun:test';
import { KeptBytes } from '../../src/threads/kept-bytes.ts';

const [A, B, C] = [{}, {}, {}];

/** What has been granted so far, in order. */
function asking(kept: KeptBytes) {
  const granted: object[] = [];
  const ask = (body: object) => kept.room(body).then(() => void granted.push(body));
  return { granted, ask };
}

test('up to three quarters of the room anyone may take more', async () => {
  const kept = new KeptBytes(100);
  kept.add(75);
  await kept.room(A);
  await kept.room(B);
});

test('above that one upload goes on, and the others wait for it in their order', async () => {
  const kept = new KeptBytes(100);
  const { granted, ask } = asking(kept);
  kept.add(76);
  for (const body of [A, B, C]) void ask(body);
  await Bun.sleep(0);
  expect(granted).toEqual([A]);
  await ask(A);
  kept.add(20);
  // A thread has taken A, and it is still too full for all.
  kept.remove(A, 10);
  await Bun.sleep(0);
  expect(granted).toEqual([A, A, B]);
  kept.remove(B, 11);
  await Bun.sleep(0);
  expect(granted).toEqual([A, A, B, C]);
});

test('an upload whose client pauses lets the next one be read on', async () => {
  const kept = new KeptBytes(100);
  const { granted, ask } = asking(kept);
  kept.add(80);
  void ask(A);
  void ask(B);
  await Bun.sleep(0);
  kept.letOthersGo(A);
  await Bun.sleep(0);
  expect(granted).toEqual([A, B]);
});

test('an upload that finds no room in time is refused, and keeps no place', async () => {
  const kept = new KeptBytes(100, 5);
  kept.add(80);
  await kept.room(A);
  await expect(kept.room(B)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const { granted, ask } = asking(kept);
  const waiting = ask(C);
  kept.remove(A, 10);
  await waiting;
  expect(granted).toEqual([C]);
});

test('the room ends at its bound: so many bytes, and none more', () => {
  const kept = new KeptBytes(100);
  kept.add(100);
  expect(() => kept.add(1)).toThrow('Too many uploads are in progress');
  expect(kept.bytes).toBe(100);
});
