/** Dates: what the profile says of them, and how they are judged. */
import { expect, test } from 'bun:test';
import { get } from './asking.ts';
import { batch, SCALE_KEY, Service } from './service.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BEGIN = Date.UTC(2026, 5, 1, 6);

/** Orders between 8 and 18 o'clock of the day before. */
const rowsOf = (day: number, late = 0, shift = 0) =>
  Array.from({ length: 120 }, (_, i) => {
    const time = BEGIN - 6 * HOUR + (day - 1 - late) * DAY + 8 * HOUR + shift + ((i * 7919) % 36_000) * 1000;
    return {
      id: day * 1000 + i,
      ordered_at: new Date(time).toISOString().replace('.000', ''),
      day: new Date(time).toISOString().slice(0, 10),
      sent: Math.floor(time / 1000),
      amount: ((i * 31 + day) % 500) / 10,
    };
  });

/** A service whose clock is at the arrival of each batch. */
async function warmed() {
  let now = BEGIN;
  const service = new Service({ now: () => now } as never);
  const post = async (day: number, rows: object[]) => {
    now = BEGIN + day * DAY + ((day * 37) % 30) * 60_000;
    return (await service.post(batch(rows, { options: { mode: 'adaptive' } }))).body;
  };
  for (let day = 0; day < 12; day++) await post(day, rowsOf(day));
  return { service, judge: (rows: object[]) => post(12, rows) };
}

test('the profile says how dates are written, which part of the values they are, and their range', async () => {
  const { service, judge } = await warmed();
  const { request_id } = await judge(rowsOf(12));
  const { profile } = (await get(service, `/v1/jobs/${request_id}`, SCALE_KEY)).body;
  expect(profile.fields.ordered_at.dates).toEqual({
    ...{ format: 'YYYY-MM-DDTHH:mm:ssZ', formats: 1, share: 1, resolution: 'second' },
    ...{ earliest: '2026-06-12T08:00:00.000Z', latest: expect.stringMatching(/^2026-06-12T17:5/) },
  });
  expect(profile.fields.day.dates).toMatchObject({ format: 'YYYY-MM-DD', resolution: 'day' });
  expect(profile.fields.sent.dates).toMatchObject({ format: 'epoch seconds', resolution: 'second' });
  expect(profile.fields.amount.dates).toBeUndefined();
  expect(profile.fields.id.dates).toBeUndefined();
});

test('the profile knows years of two digits, as spreadsheets write them', async () => {
  const service = new Service();
  const rows = Array.from({ length: 30 }, (_, i) => ({ at: `1/${i + 1}/26 ${i % 24}:04` }));
  const { request_id } = (await service.post(batch(rows))).body;
  const { profile } = (await get(service, `/v1/jobs/${request_id}`, SCALE_KEY)).body;
  expect(profile.fields.at.dates).toEqual({
    ...{ format: 'MM/DD/YY HH:mm', formats: 1, share: 1, resolution: 'minute' },
    ...{ earliest: '2026-01-01T00:04:00.000Z', latest: '2026-01-30T05:04:00.000Z' },
  });
});

test('no date of the profile is beyond the years of four digits', async () => {
  const service = new Service();
  const rows = ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:00:00-05:00', '0000-01-01T00:00:00+05:00'];
  const { request_id } = (await service.post(batch(rows.map(at => ({ at }))))).body;
  const { profile } = (await get(service, `/v1/jobs/${request_id}`, SCALE_KEY)).body;
  expect(profile.fields.at.dates).toMatchObject({
    ...{ earliest: '0000-01-01T00:00:00.000Z', latest: '9999-12-31T23:59:59.999Z' },
  });
});

test('a fraction of nines does not make the next second', async () => {
  const service = new Service();
  const rows = Array.from({ length: 9 }, () => ({ at: '2026-12-31T23:59:59.9999999999Z' }));
  const { request_id } = (await service.post(batch(rows))).body;
  const { profile } = (await get(service, `/v1/jobs/${request_id}`, SCALE_KEY)).body;
  expect(profile.fields.at.dates.latest).toBe('2026-12-31T23:59:59.999Z');
});

test('dates that are as old as usual pass', async () => {
  const { judge } = await warmed();
  expect(await judge(rowsOf(12))).toMatchObject({ status: 'PASS' });
});

test.each<[string, object[], string]>([
  ['that are a day late', rowsOf(12, 1, 500_000), 'date_age'],
  ['in another time zone', rowsOf(12, 0, 7 * HOUR), 'hour_distribution'],
  [
    'some of which are of 1970',
    rowsOf(12).map((row, i) => (i % 20 ? row : { ...row, ordered_at: '1970-01-01T00:00:00Z' })),
    'date_range',
  ],
])('dates %s are WARN', async (_, rows, statistic) => {
  const { judge } = await warmed();
  const { status, anomalies } = await judge(rows);
  expect(status).not.toBe('PASS');
  const found = anomalies.filter((each: { field: string }) => each.field === 'ordered_at');
  expect(found.map((each: { statistic: string }) => each.statistic)).toContain(statistic);
});

test('a single odd date is no alarm', async () => {
  const { judge } = await warmed();
  const rows = rowsOf(12);
  rows[60] = { ...rows[60]!, ordered_at: '1970-01-01T00:00:00Z' };
  const { anomalies = [] } = await judge(rows);
  expect(anomalies.map((each: { statistic: string }) => each.statistic)).not.toContain('date_range');
});

test('a field of several notations says so', async () => {
  const service = new Service();
  const rows = rowsOf(1).map((row, i) => ({ day: i % 4 ? row.day : row.day.split('-').reverse().join('.') }));
  const { request_id } = (await service.post(batch(rows))).body;
  const { profile } = (await get(service, `/v1/jobs/${request_id}`, SCALE_KEY)).body;
  expect(profile.fields.day.dates).toMatchObject({ format: 'YYYY-MM-DD', formats: 2, share: 1 });
});

test.each([
  [['03/04/2026', '12/31/2026'], 'MM/DD/YYYY', '2026-03-04T00:00:00.000Z'],
  [['03/04/2026', '31/12/2026'], 'DD/MM/YYYY', '2026-04-03T00:00:00.000Z'],
  [['03/04/2026', '04/05/2026'], 'DD/MM/YYYY or MM/DD/YYYY', undefined],
])('the order of day and month is that of dates that leave no choice: %p', async (days, format, earliest) => {
  const service = new Service();
  const { request_id } = (await service.post(batch(days.map(day => ({ day }))))).body;
  const { profile } = (await get(service, `/v1/jobs/${request_id}`, SCALE_KEY)).body;
  expect(profile.fields.day.dates).toMatchObject({ format, formats: 1 });
  expect(profile.fields.day.dates.earliest).toBe(earliest);
});
