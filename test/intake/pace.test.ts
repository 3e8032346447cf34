import { expect, test } from 'bun:test';
import { Pace } from '../../src/intake/pace.ts';

test('others have their turn after a slice of work, and only then', async () => {
  let clock = 0;
  const order: string[] = [];
  const pace = new Pace(() => clock);
  setImmediate(() => order.push('another request'));
  await pace.breathe();
  order.push('first piece');
  clock = 1;
  await pace.breathe();
  order.push('second piece');
  expect(order).toEqual(['first piece', 'another request', 'second piece']);
});
