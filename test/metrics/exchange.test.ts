import { expect, test } from 'bun:test';
import { Exchange } from '../../src/metrics/exchange.ts';

/** Two ends of a channel. */
function pair(here: () => Promise<string>, there: () => Promise<string>) {
  const one: Exchange = new Exchange(message => other.hear(structuredClone(message)), here);
  const other: Exchange = new Exchange(message => one.hear(structuredClone(message)), there);
  return [one, other] as const;
}

test('each end has the figures of the other, however many ask at once', async () => {
  let asked = 0;
  const [one, other] = pair(
    async () => 'one',
    async () => `other ${asked++}`,
  );
  expect(await Promise.all([one.ask(), one.ask(), other.ask()])).toEqual(['other 0', 'other 1', 'one']);
});

test('an end that does not answer in time, or whose channel is closed, has none', async () => {
  expect(
    await new Exchange(
      () => {},
      async () => '',
      10,
    ).ask(),
  ).toBe('');
  const closed = () => {
    throw new Error('closed');
  };
  expect(await new Exchange(closed, async () => '').ask()).toBe('');
});

test('what is not for it is left alone', async () => {
  const sent: unknown[] = [];
  const exchange = new Exchange(
    message => sent.push(message),
    async () => '',
  );
  for (const message of [null, 7, 'text', {}, { port: 80 }, { figures: 3, text: 'late' }])
    exchange.hear(message);
  await null;
  expect(sent).toEqual([]);
});
