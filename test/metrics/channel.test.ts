import { expect, test } from 'bun:test';
import { MetricsChannel } from '../../src/metrics/channel.ts';

/** Two ends of a channel. */
function pair(here: () => Promise<string>, there: () => Promise<string>) {
  const one: MetricsChannel = new MetricsChannel(message => other.receive(structuredClone(message)), here);
  const other: MetricsChannel = new MetricsChannel(message => one.receive(structuredClone(message)), there);
  return [one, other] as const;
}

test('each end gets the metrics of the other, also for concurrent requests', async () => {
  let asked = 0;
  const [one, other] = pair(
    async () => 'one',
    async () => `other ${asked++}`,
  );
  expect(await Promise.all([one.request(), one.request(), other.request()])).toEqual([
    'other 0',
    'other 1',
    'one',
  ]);
});

test('an end that does not answer in time, or whose channel is closed, gives an empty text', async () => {
  expect(
    await new MetricsChannel(
      () => {},
      async () => '',
      10,
    ).request(),
  ).toBe('');
  const closed = () => {
    throw new Error('closed');
  };
  expect(await new MetricsChannel(closed, async () => '').request()).toBe('');
});

test('other messages are ignored', async () => {
  const sent: unknown[] = [];
  const channel = new MetricsChannel(
    message => sent.push(message),
    async () => '',
  );
  for (const message of [null, 7, 'text', {}, { port: 80 }, { metricsResponse: 3, text: 'late' }])
    channel.receive(message);
  await null;
  expect(sent).toEqual([]);
});
