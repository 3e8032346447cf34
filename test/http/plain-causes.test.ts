/** Of a field that differs in many statistics, the reason names what a person would see first. */
import { describe, expect, test } from 'bun:test';
import { batch, Service } from './service.ts';

const NAMES = ['anna', 'bernd', 'carla', 'dora', 'emil'];
const STATUS = ['open', 'paid', 'void'];
const rowsOf = (day: number, more: (i: number) => object = () => ({})) =>
  Array.from({ length: 200 }, (_, i) => ({
    id: day * 1000 + i,
    name: `${NAMES[(i * 7 + day) % 5]}${(i * 31 + day * 17) % 97}`,
    status: STATUS[(i * 13 + day * 5 + ((i * i) % 7)) % 3],
    amount: ((i * 37 + day * 11) % 500) / 10,
    ...more(i),
  }));

async function reasonOf(more: (i: number) => object): Promise<string> {
  const service = new Service();
  const post = async (rows: object[]) =>
    (await service.post(batch(rows, { options: { mode: 'adaptive' } }))).body;
  for (let day = 0; day < 8; day++) await post(rowsOf(day));
  const { status, decision } = await post(rowsOf(8, more));
  expect(status).not.toBe('PASS');
  return decision.reason;
}

describe('the reason', () => {
  test('says that all texts are the same, and which', async () => {
    expect(await reasonOf(() => ({ name: '***' }))).toBe("All values of 'name' are '***'");
  });

  test('says that all numbers are the same, and which', async () => {
    expect(await reasonOf(() => ({ amount: 0 }))).toBe("All values of 'amount' are 0");
  });

  test('names a new value, and not the length of texts', async () => {
    expect(await reasonOf(i => (i % 100 === 7 ? { status: 'refunded' } : {}))).toBe(
      "New values in 'status': 'refunded' (1% of rows)",
    );
  });

  test('names missing values before new ones', async () => {
    const reason = await reasonOf(i => ({ status: i === 7 ? 'refunded' : i % 2 === 0 ? null : 'open' }));
    expect(reason).toStartWith("Null rate in 'status' rose from 0% to");
  });
});
