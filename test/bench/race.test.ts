import { expect, test } from 'bun:test';
import { race, shareOf } from '../../bench/race.ts';

test('every contestant runs once in each round on its payload, and the first one changes', async () => {
  const calls: string[] = [];
  const contestant = (name: string) => (payload: string) => calls.push(name + payload);
  const timings = await race({ a: contestant('a'), b: contestant('b') }, ['1', '2', '3'], {
    warmRounds: 1,
    rounds: 3,
    budgetMs: Number.POSITIVE_INFINITY,
  });
  expect(calls).toEqual(['a1', 'b1', 'b2', 'a2', 'a3', 'b3', 'b1', 'a1']);
  expect(timings.a.runs).toBe(3);
  expect(timings.b.runs).toBe(3);
});

test('a race without time left still runs often enough for a median', async () => {
  const timings = await race({ a: () => 0 }, [0], { warmRounds: 2, rounds: 1000, budgetMs: 0 });
  expect(timings.a.runs).toBe(3);
});

test('the race waits for slow contestants', async () => {
  let answered = 0;
  const later = async () => {
    await Bun.sleep(0);
    answered++;
  };
  await race({ later }, [0], { warmRounds: 0, rounds: 2, budgetMs: Number.POSITIVE_INFINITY });
  expect(answered).toBe(2);
});

test('a quantile is one of the values', () => {
  const values = [5, 1, 4, 2, 3, 10, 9, 8, 7, 6];
  expect([0, 0.1, 0.5, 0.99, 1].map(share => shareOf(values, share))).toEqual([1, 1, 5, 10, 10]);
});
