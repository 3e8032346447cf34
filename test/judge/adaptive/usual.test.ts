/** What is usual for a source, though it looks odd in a single batch. */
import { describe, expect, test } from 'bun:test';
import { Gate } from '../../../bench/accuracy/gate.ts';
import { ENGINE as engine } from '../../engine/screen-bytes.ts';
import { type Row, randomOf, Source } from './streams.ts';

const rowsOf = (count: number, make: (i: number) => Row): Row[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** What is unusual about a field. */
const unusualIn = ({ anomalies = [] }: ReturnType<Source['judge']>, field: string): string[] =>
  anomalies.filter(each => each.field === field).map(({ statistic }) => statistic);

describe('a usual batch', () => {
  test('may have many times as many rows as the others, or few of them', () => {
    const random = randomOf(3);
    const day = (size: number): Row[] => {
      const mood = 0.05 * random.normal();
      return rowsOf(size, () => ({
        kind: random.unit() < 0.3 + mood ? 'a' : 'b',
        price: Math.round(100 * (20 + 20 * mood + 5 * random.normal())) / 100,
        note: random.unit() < 0.2 + mood ? null : `call ${random.below(30)} times`,
      }));
    };
    const source = new Source();
    for (let i = 0; i < 16; i++) source.judge(day(60 + 10 * (i % 4)));
    for (const size of [900, 20]) {
      const { anomalies = [] } = source.judge(day(size), false);
      expect(anomalies.filter(({ statistic }) => statistic !== 'row_count')).toEqual([]);
    }
  });

  test('may have the first rain after some dry days', () => {
    const random = randomOf(4);
    const day = (rain: boolean): Row[] =>
      rowsOf(48, hour => ({
        hour,
        heat: Math.round(10 * (12 + 3 * random.normal())) / 10,
        rain: rain && random.unit() < 0.5 ? random.below(100) / 100 : 0,
      }));
    const source = new Source();
    for (let i = 0; i < 4; i++) source.judge(day(false));
    expect(source.judge(day(true), false).status).toBe('PASS');
    for (let i = 0; i < 12; i++) source.judge(day(false));
    expect(source.judge(day(true), false).status).toBe('WARN');
  });

  test('may have the first temperatures about zero and ten, but not zeros in place of a fifth of them', () => {
    const random = randomOf(5);
    const week = (level: number): Row[] =>
      rowsOf(168, i => ({ n: i, heat: Math.round(level + 2 * random.normal()) }));
    const source = new Source();
    for (let i = 0; i < 24; i++) source.judge(week(18 + 3 * Math.sin(i / 2)));
    const zeros = (level: number) => unusualIn(source.judge(week(level), false), 'heat');
    expect(zeros(0)).not.toContain('zero_share');
    expect(zeros(10)).not.toContain('multiple_of_10_share');
    const warm = week(18).map((row, i) => (i % 5 === 0 ? { ...row, heat: 0 } : row));
    expect(unusualIn(source.judge(warm, false), 'heat')).toContain('zero_share');
    const rounded = week(18).map(row => ({ ...row, heat: Math.round((row.heat as number) / 10) * 10 }));
    expect(unusualIn(source.judge(rounded, false), 'heat')).toContain('multiple_of_10_share');
  });

  test('may have some hours of rain in a row after months without', () => {
    const random = randomOf(13);
    const week = (wet: number): Row[] =>
      rowsOf(168, i => ({ rain: i >= 40 && i < 40 + wet ? 1 + ((i - 40) >> 2) : 0, heat: random.normal() }));
    const source = new Source();
    for (let i = 0; i < 40; i++) source.judge(week(i < 4 ? 24 : i === 20 ? 2 : 0));
    expect(source.judge(week(8), false).status).toBe('PASS');
    expect(source.judge(week(24), false).status).toBe('WARN');
  });

  describe('whose rows come in groups may have one group that is written in a new way, but not as many scattered rows', () => {
    const random = randomOf(31);
    const letter = (from: string): string => String.fromCharCode(from.charCodeAt(0) + random.below(26));
    /** Lines of orders, each of one customer at one price. */
    const day = (): Row[] => {
      let [left, customer, price] = [0, '', 0];
      return rowsOf(120, () => {
        if (left-- === 0) {
          left = random.below(9);
          customer = `${letter('A')}${letter('a')}${letter('a')} & Sons`;
          price = random.below(500) + 0.25;
        }
        return { customer, price };
      });
    };
    const source = new Source();
    for (let i = 0; i < 14; i++) source.judge(day());
    const grouped = (cells: Row): Row[] =>
      day().map((row, i) => (i >= 40 && i < 45 ? { ...row, ...cells } : row));
    const scattered = (change: (row: Row) => Row): Row[] =>
      day().map((row, i) => (i % 12 === 3 ? { ...row, ...change(row) } : row));

    test('texts', () => {
      expect(source.judge(grouped({ customer: 'Önü & Sons' }), false).status).toBe('PASS');
      expect(source.judge(grouped({ customer: 'Xa7 & Sons' }), false).status).toBe('PASS');
      const padded = source.judge(
        scattered(({ customer }) => ({ customer: `${customer} ` })),
        false,
      );
      expect(unusualIn(padded, 'customer')).not.toEqual([]);
    });

    test('numbers', () => {
      expect(source.judge(grouped({ price: 77 }), false).status).toBe('PASS');
      const whole = source.judge(
        scattered(({ price }) => ({ price: Math.round(price as number) })),
        false,
      );
      expect(unusualIn(whole, 'price')).toContain('integer_share');
    });
  });

  test('may begin in one year and month and end in the next', () => {
    const random = randomOf(7);
    const week = (n: number): Row[] =>
      rowsOf(168, hour => {
        const date = new Date(Date.UTC(2025, 0, 1 + 7 * n, hour));
        return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, load: random.normal() };
      });
    const source = new Source();
    const statuses = Array.from({ length: 60 }, (_, n) => source.judge(week(n)).status);
    expect(statuses.filter(status => status !== 'PASS')).toEqual([]);
    const mixed = week(60).map((row, i) => (i % 3 === 0 ? { ...row, year: 2031 } : row));
    expect(source.judge(mixed, false).status).toBe('WARN');
  });

  test('may be sorted by a flag: its column is judged as any other', () => {
    const random = randomOf(21);
    const day = (ok: number, failed: number): Row[] =>
      rowsOf(ok + failed, i => ({ flag: i < ok ? 'ok' : 'failed', load: random.normal() }));
    const source = new Source();
    for (let i = 0; i < 14; i++) source.judge(day(120 + random.below(8), 30 + random.below(6)));
    expect(unusualIn(source.judge(day(122, 32), false), 'flag')).toEqual([]);
    const { status, anomalies = [] } = source.judge(day(30, 120), false);
    expect(status).toBe('WARN');
    expect(anomalies.map(({ field }) => field)).toContain('flag');
  });

  describe('may have fewer distinct values in a column: that there are fewer pairs with a column beside it is nothing else', () => {
    /** A week whose values are all close to each other comes after usual ones. */
    const expectExplained = (week: (spread: number) => Row[], statistic: string, past: Row[][]): void => {
      const source = new Source();
      for (const rows of past) source.judge(rows);
      const calm = source.judge(week(2), false);
      expect(unusualIn(calm, 'heat')).toContain(statistic);
      for (const field of ['heat', 'hour'])
        expect(unusualIn(calm, field)).not.toContain('distinct_pair_share');
    };

    test('the column after it', () => {
      const random = randomOf(15);
      const week = (spread: number): Row[] =>
        rowsOf(168, i => ({ hour: i % 24, heat: Math.round(100 + spread * random.normal()) }));
      const past = Array.from({ length: 24 }, () => week(15 * Math.exp(0.4 * random.normal())));
      expectExplained(week, 'top_value_share', past);
    });

    test('the column before it, whichever of them the source had first', () => {
      const random = randomOf(15);
      const week = (spread: number): Row[] =>
        rowsOf(168, i => ({
          place: i % 7,
          heat: Math.round(100 + spread * random.normal()),
          hour: random.below(24),
        }));
      const first = week(15).map(({ heat, place, hour }) => ({ heat, place, hour }));
      const past = Array.from({ length: 24 }, () => week(15 * Math.exp(0.1 * random.normal())));
      expectExplained(week, 'value_distribution', [first, ...past]);
    });
  });

  test('may have a narrower bulk, from which more of the usual numbers lie far away', () => {
    const random = randomOf(11);
    const day = (width: number): Row[] =>
      rowsOf(200, i => ({ n: i, size: i % 20 === 0 ? 30 + random.unit() : 10 + width * random.normal() }));
    const source = new Source();
    for (let i = 0; i < 14; i++) source.judge(day(6 + (i % 3)));
    expect(unusualIn(source.judge(day(1.2), false), 'size')).not.toContain('outlier_share');
    const far = (size: number): Row[] =>
      day(7).map((row, i) => (i % 16 === 1 ? { ...row, size: size + random.unit() } : row));
    const damaged = source.judge(far(80));
    expect(damaged.status).toBe('WARN');
    expect(unusualIn(damaged, 'size')).toContain('outlier_share');
    // Damage that was loaded does not show what is usual.
    for (let i = 0; i < 8; i++) source.judge(day(6 + (i % 3)));
    expect(unusualIn(source.judge(far(76), false), 'size')).toContain('outlier_share');
  });

  test('may have one long text among short ones', () => {
    const random = randomOf(6);
    const day = (): Row[] => rowsOf(60, i => ({ n: i, country: random.unit() < 0.95 ? 'USA' : 'UAE' }));
    const source = new Source();
    for (let i = 0; i < 14; i++) source.judge(day());
    const [first, ...rest] = day();
    const long = { ...first!, country: 'FEDERATEDSTATESOFMICRONESIA' };
    expect(source.judge([long, ...rest], false).status).toBe('PASS');
  });

  test('may have data from behind a gap: one alarm says so, and those after it none', () => {
    const source = new Source();
    // A week of dates in each batch, which come a day apart: old data is sent once more.
    const week = (n: number): Row[] =>
      rowsOf(40, i => ({
        n: i,
        at: new Date(Date.UTC(2011, 0, 1 + 7 * n + (i % 7))).toISOString().slice(0, 10),
      }));
    for (let n = 0; n < 14; n++) source.judge(week(n));
    const after = [24, 25, 26, 27, 28, 29].map(n => source.judge(week(n)));
    expect(after.map(({ status }) => status)).toEqual(['WARN', ...Array(5).fill('PASS')]);
    expect(after[0]!.anomalies).toMatchObject([{ statistic: 'date_age' }]);
  });

  describe('of dates', () => {
    type Form = (date: Date) => string;
    const iso: Form = date => date.toISOString().slice(0, 10);
    const loose: Form = date => `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()}`;
    const timed: Form = date => `${loose(date)} ${date.getUTCHours()}:${date.toISOString().slice(14, 16)}`;
    const short: Form = date => loose(date).replace('/20', '/');
    const shortTimed: Form = date => timed(date).replace('/20', '/');
    const days = (first: number, many: number, form: (i: number) => Form): Row[] => {
      const random = randomOf(9);
      return rowsOf(100, i => ({
        n: random.below(1000),
        at: form(i)(new Date(Date.UTC(2026, 0, first) + random.below(many * 1440) * 60_000)),
      }));
    };

    test.each<[string, Form, number, number]>([
      ['1/2/2026, by day', loose, 1, 1],
      ['1/2/2026, by week', loose, 7, 7],
      ['1/2/2026 3:04, by week', timed, 7, 7],
      ['1/2/26, by day', short, 1, 1],
      ['1/2/26, by week', short, 7, 7],
      ['1/2/26 3:04, by day', shortTimed, 1, 1],
    ])('like %s has other lengths and formats when the day has two digits', (_, form, every, many) => {
      const source = new Source();
      const statuses = Array.from(
        { length: 14 },
        (_, i) => source.judge(days(3 + every * i, many, () => form)).status,
      );
      expect(new Set(statuses)).toEqual(new Set(['PASS']));
    });

    test('has one way of writing them, where the source has one', () => {
      const source = new Source();
      for (let i = 0; i < 8; i++) source.judge(days(3 + i, 1, () => iso));
      expect(
        source.judge(
          days(11, 1, () => iso),
          false,
        ).status,
      ).toBe('PASS');
      expect(
        source.judge(
          days(11, 1, i => (i % 5 === 0 ? loose : iso)),
          false,
        ).status,
      ).not.toBe('PASS');
    });
  });

  test('may fill a column that was empty, or have other numbers in a few of its cells: that is no BLOCK', () => {
    const random = randomOf(8);
    const day = (filled: number, size: number): Row[] =>
      rowsOf(60, i => ({ n: i, fee: i < filled ? size * (5 + random.unit()) : null }));
    const source = new Source();
    for (let i = 0; i < 14; i++) source.judge(day(3, 1));
    expect(source.judge(day(3, 1), false).status).toBe('PASS');
    expect(source.judge(day(3, 1000), false).status).toBe('WARN');
    expect(source.judge(day(50, 1), false).status).toBe('WARN');
    expect(source.judge(day(50, 1000), false).status).toBe('BLOCK');
  });

  test('may return to what the source had in a batch that was loaded: that is no BLOCK', () => {
    const random = randomOf(12);
    const day = (level: number): Row[] => rowsOf(60, i => ({ n: i, size: level * (10 + random.normal()) }));
    const source = new Source();
    for (let i = 0; i < 14; i++) source.judge(day(1));
    const changed = [10, 10, 10].map(level => source.judge(day(level)).status);
    expect(changed).toEqual(['BLOCK', 'BLOCK', 'WARN']);
    for (let i = 0; i < 3; i++) expect(source.judge(day(1)).status).toBe('PASS');
    expect(source.judge(day(10), false).status).toBe('WARN');
    expect(source.judge(day(100), false).status).toBe('BLOCK');
  });

  test('may have another mixture in the second batch, where the first one had a mixture', () => {
    const day = (share: number): Row[] =>
      rowsOf(100, i => ({ n: i, note: i < 100 * share ? null : `call ${i} times` }));
    const after = (first: number, second: number): string => {
      const source = new Source();
      source.judge(day(first));
      return source.judge(day(second), false).status;
    };
    expect(after(0.35, 0.65)).toBe('PASS');
    expect(after(0, 0.3)).toBe('WARN');
  });

  test('is nearly perfect in contract mode, however many nulls it usually has', () => {
    const random = randomOf(7);
    const day = (): Row[] => rowsOf(100, i => ({ id: i, note: random.unit() < 0.25 ? null : 'x' }));
    const gate = new Gate(engine, 'contract');
    const health = Array.from({ length: 8 }, () => gate.judge(day()).health_score);
    expect(Math.max(...health.slice(0, 3))).toBeLessThan(0.9);
    expect(Math.min(...health.slice(3))).toBeGreaterThan(0.9);
  });
});
