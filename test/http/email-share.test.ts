/** The share of e-mail addresses: in the profile of a job, and judged in adaptive mode. */
import { expect, test } from 'bun:test';
import { get } from './asking.ts';
import { batch, SCALE_KEY, Service } from './service.ts';

const BATCHES = 12;
const ROWS = 100;

const email = (batchNumber: number, i: number): string => `person${batchNumber * ROWS + i}@example.com`;

/** A service that has learned batches of addresses, one a day. */
async function learned() {
  let now = Date.UTC(2026, 9, 1);
  const service = new Service({ now: () => now });
  const post = async (emails: readonly string[]) => {
    now += 86_400_000;
    const rows = emails.map((contact, i) => ({ contact, amount: i }));
    const answer = await service.post(batch(rows, { options: { mode: 'adaptive' } }));
    expect(answer.status).toBe(200);
    return answer.body;
  };
  for (let i = 0; i < BATCHES; i++) await post(Array.from({ length: ROWS }, (_, row) => email(i, row)));
  return { service, post };
}

test('a job shows it for fields of texts only', async () => {
  const { service, post } = await learned();
  const emails = Array.from({ length: ROWS }, (_, i) => (i % 4 === 0 ? `person${i}` : email(BATCHES, i)));
  const { request_id: id } = await post(emails);
  const { profile } = (await get(service, `/v1/jobs/${id}`, SCALE_KEY)).body;
  expect(profile.fields.contact.statistics).toEqual({ non_ascii_share: 0, email_share: 0.75 });
  expect(profile.fields.amount.statistics).toEqual({ integer_share: 1 });
});

test('addresses that lost their domain are found, with their rows', async () => {
  const { post } = await learned();
  const broken = [3, 17, 42, 43, 61, 77];
  const emails = Array.from({ length: ROWS }, (_, i) =>
    broken.includes(i) ? `person${i}.example.com` : email(BATCHES, i),
  );
  const { status, anomalies } = await post(emails);
  expect(status).not.toBe('PASS');
  const found = anomalies.find(({ statistic }: { statistic: string }) => statistic === 'email_share');
  expect(found).toMatchObject({
    field: 'contact',
    observed: 0.94,
    detail: expect.stringContaining("Unusual share of e-mail addresses in 'contact': 94%, usually 100%"),
    rows: broken,
  });
});
