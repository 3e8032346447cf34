/** Mode auto: fixed thresholds while little is known of a source, afterwards its own past. */
import { describe, expect, test } from 'bun:test';
import { Service } from '../http/service.ts';
import { ask } from '../http/teaching.ts';

type Row = Record<string, unknown>;

/** The first `share` of the rows has no e-mail. */
const rowsOf = (count: number, share: number, from = 0): Row[] =>
  Array.from({ length: count }, (_, i) => ({
    id: from + i,
    email: i < count * share ? null : `a${from + i}@example.com`,
  }));

async function post(service: Service, rows: Row[], options: object = { mode: 'auto' }) {
  const body = JSON.stringify({ source: 'orders', rows, options });
  const { status, body: said } = await service.post(body, { 'Content-Type': 'application/json' });
  expect(status).toBe(200);
  return said;
}
const verdictOf = async (...of: Parameters<typeof post>) => (await post(...of)).status;

describe('mode auto', () => {
  test('judges a first batch by the thresholds of the contract', async () => {
    const { status, gate } = await post(new Service(), rowsOf(40, 0.8));
    expect([status, gate.mode]).toEqual(['BLOCK', 'contract']);
    expect(await verdictOf(new Service(), rowsOf(40, 0.2))).toBe('PASS');
  });

  test('does not judge rates of fewer than 20 cells by them', async () => {
    for (const [count, verdict] of [
      [1, 'PASS'],
      [19, 'PASS'],
      [20, 'BLOCK'],
    ] as const) {
      expect(await verdictOf(new Service(), rowsOf(count, 0.8))).toBe(verdict);
      const mixed = rowsOf(count, 0).map(({ id }) => ({ id: (id as number) % 3 === 0 ? 'x' : id }));
      expect(await verdictOf(new Service(), mixed)).toBe(verdict);
    }
    const given = { mode: 'auto', thresholds: { null_rate_block: 0.5 } };
    expect(await verdictOf(new Service(), rowsOf(1, 1), given)).toBe('BLOCK');
  });

  test('judges by the past once three batches were seen: a field that is empty by design is no BLOCK for ever', async () => {
    const service = new Service();
    const verdicts = [];
    for (let day = 0; day < 6; day++) verdicts.push(await verdictOf(service, rowsOf(40, 0.8, day * 40)));
    expect(verdicts).toEqual(['BLOCK', 'BLOCK', 'BLOCK', 'PASS', 'PASS', 'PASS']);
    expect((await post(service, rowsOf(40, 0.8, 400))).gate.mode).toBe('adaptive');
  });

  test('finds afterwards what is unusual', async () => {
    const service = new Service();
    for (let day = 0; day < 8; day++) await post(service, rowsOf(200, 0.2, day * 200));
    expect(await verdictOf(service, rowsOf(200, 0.2, 1600))).toBe('PASS');
    expect(await verdictOf(service, rowsOf(200, 0.7, 1800))).not.toBe('PASS');
  });

  test('leaves the mode to the settings of the source, if they have one', async () => {
    const service = new Service();
    await ask(service, 'PUT', '/v1/schema/orders/settings', { mode: 'contract' });
    const { gate } = await post(service, rowsOf(5, 0.8));
    expect(gate.mode).toBe('contract');
    for (let day = 0; day < 4; day++) await post(service, rowsOf(40, 0, day * 40));
    expect((await post(service, rowsOf(40, 0, 1000))).gate.mode).toBe('contract');
    const { body } = await ask(service, 'PUT', '/v1/schema/orders/settings', { mode: 'auto' });
    expect([body.mode, body.effective.mode]).toEqual(['auto', 'auto']);
    expect((await post(service, rowsOf(40, 0, 2000), {})).gate.mode).toBe('adaptive');
  });

  test('may be the default of the server', async () => {
    const service = new Service({ defaultMode: 'auto' });
    expect(await verdictOf(service, rowsOf(1, 1), {})).toBe('PASS');
  });
});
