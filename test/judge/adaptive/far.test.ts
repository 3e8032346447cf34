/** A few numbers that lie far beyond all that a source has had. */
import { describe, expect, test } from 'bun:test';
import { type Random, type Row, randomOf, Source } from './streams.ts';

const FAR = 'far_number_share';

const rowsOf = (count: number, make: (i: number) => Row): Row[] =>
  Array.from({ length: count }, (_, i) => make(i));

const cents = (value: number): number => Math.round(100 * value) / 100;

/** Most prices are low and some are high, days differ, and a hundredth of the fees are ten times as high. */
function shop(random: Random, size = 80): () => Row[] {
  return () => {
    const mood = Math.exp(0.1 * random.normal());
    return rowsOf(size, i => ({
      id: i,
      price: cents(mood * (10 - 20 * Math.log(1 - random.unit()))),
      fee: cents((random.unit() < 0.01 ? 30 : 3) * -Math.log(1 - random.unit())),
      state: ['open', 'paid', 'sent'][random.below(3)],
    }));
  };
}

const multiplied = (rows: readonly Row[], share: number, factor: number): Row[] =>
  rows.map((row, i) =>
    i < share * rows.length ? { ...row, price: cents((row.price as number) * factor) } : row,
  );

const warmed = (day: () => Row[], batches = 14): Source => {
  const source = new Source();
  for (let i = 0; i < batches; i++) source.judge(day());
  return source;
};

const statisticsIn = ({ anomalies = [] }: ReturnType<Source['judge']>): string[] =>
  anomalies.map(({ statistic }) => statistic);

describe('a few numbers far outside the earlier range', () => {
  test('5% of prices times 7.5 are WARN in most shops', () => {
    const found = Array.from({ length: 20 }, (_, seed) => {
      const day = shop(randomOf(seed), 200);
      const { status, anomalies = [] } = warmed(day).judge(multiplied(day(), 0.05, 7.5), false);
      return status === 'WARN' && anomalies.some(({ field }) => field === 'price');
    });
    expect(found.filter(Boolean).length).toBeGreaterThanOrEqual(12);
  });

  test('a tenth of prices times 10 are WARN in most batches of 21 to 50 rows', () => {
    const found = Array.from({ length: 20 }, (_, seed) => {
      const day = shop(randomOf(seed), 31 + seed);
      return warmed(day).judge(multiplied(day(), 0.1, 10), false).status;
    });
    expect(found.filter(status => status === 'WARN').length).toBeGreaterThanOrEqual(11);
  });

  test('name their field and how many are usual, and are no BLOCK however many they are', () => {
    const day = shop(randomOf(1));
    const source = warmed(day);
    const { anomalies } = source.judge(multiplied(day(), 0.1, 50), false);
    expect(anomalies).toContainEqual(
      expect.objectContaining({ field: 'price', statistic: FAR, observed: 0.1, severity: 'warn' }),
    );
    const far = source
      .judge(multiplied(day(), 0.4, 50), false)
      .anomalies!.find(({ statistic }) => statistic === FAR);
    expect(far?.severity).toBe('warn');
  });

  test('are alarmed again in the batches after', () => {
    const day = shop(randomOf(2));
    const source = warmed(day);
    for (let i = 0; i < 3; i++) {
      expect(statisticsIn(source.judge(multiplied(day(), 0.1, 50)))).toContain(FAR);
      for (let calm = 0; calm < 3; calm++) expect(source.judge(day()).status).toBe('PASS');
    }
  });
});

describe('it is quiet', () => {
  test('in clean walks, in which some fees are far from the others', () => {
    let alarms = 0;
    for (let seed = 20; seed < 24; seed++) {
      const day = shop(randomOf(seed));
      const source = warmed(day, 3);
      for (let i = 0; i < 30; i++) alarms += statisticsIn(source.judge(day())).includes(FAR) ? 1 : 0;
    }
    expect(alarms).toBe(0);
  });

  test('if it is a single number', () => {
    const day = shop(randomOf(3));
    const source = warmed(day);
    expect(statisticsIn(source.judge(multiplied(day(), 1 / 80, 1000), false))).not.toContain(FAR);
  });

  test('if most of the numbers have moved: that says the level', () => {
    const day = shop(randomOf(4));
    const moved = warmed(day).judge(multiplied(day(), 1, 50), false);
    expect(statisticsIn(moved)).toContain('median');
    expect(statisticsIn(moved)).not.toContain(FAR);
  });

  test('of counters with gaps, and of numbers that grow', () => {
    const random = randomOf(5);
    let [last, level] = [0, 10];
    const day = (): Row[] => {
      last += random.below(400);
      level *= 1.1;
      return rowsOf(60, i => ({ number: last + i, size: cents(level * (1 + random.unit())) }));
    };
    const source = warmed(day, 3);
    for (let i = 0; i < 30; i++) expect(statisticsIn(source.judge(day()))).not.toContain(FAR);
  });

  test('of a column that is one number in each batch', () => {
    const source = new Source();
    const random = randomOf(6);
    const file = (week: number): Row[] => rowsOf(40, () => ({ week, size: random.below(100) }));
    for (let i = 0; i < 14; i++) source.judge(file(1 + (i % 4)));
    expect(statisticsIn(source.judge(file(20), false))).not.toContain(FAR);
  });

  test('of two batches: they do not show how far a source reaches', () => {
    const day = shop(randomOf(7));
    expect(statisticsIn(warmed(day, 2).judge(multiplied(day(), 0.1, 50), false))).not.toContain(FAR);
  });
});
