/** Verdicts on made-up sources. The bounds are those of the seeds named here; ADAPTIVE_SEEDS makes it more of them. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { type Row, randomOf, shopDay, Source } from './streams.ts';

const SEEDS = Number(process.env.ADAPTIVE_SEEDS ?? 3);
const DAYS = 50;

const withField = (
  rows: Row[],
  name: string,
  share: number,
  change: (value: number, i: number) => unknown,
): Row[] => {
  const random = randomOf(99);
  return rows.map((row, i) =>
    random.unit() < share ? { ...row, [name]: change(row[name] as number, i) } : row,
  );
};

const warmed = (seed: number, days = 20): Source => {
  const source = new Source();
  for (let day = 0; day < days; day++) source.judge(shopDay(seed, day));
  return source;
};

describe('adaptive verdicts', () => {
  test('alarm on few clean batches of a source whose days differ, and block hardly any', () => {
    const counts = { PASS: 0, WARN: 0, BLOCK: 0 };
    for (let seed = 1; seed <= SEEDS; seed++) {
      const source = new Source();
      for (let day = 0; day < DAYS; day++) {
        const { status } = source.judge(shopDay(seed, day));
        if (day >= 5) counts[status]++;
      }
    }
    const all = SEEDS * (DAYS - 5);
    expect((counts.WARN + counts.BLOCK) / all).toBeLessThan(0.04);
    expect(counts.BLOCK / all).toBeLessThan(0.01);
  }, 240_000);

  let source: Source;
  beforeAll(() => {
    source = warmed(7);
  });
  const clean = shopDay(7, 20);

  test.each<[string, string, Row[]]>([
    ['cents became units in every price', 'price', withField(clean, 'price', 1, value => value * 100)],
    [
      'a tenth of the prices is a thousand times as high',
      'price',
      withField(clean, 'price', 0.1, value => value * 1000),
    ],
    ['a tenth of the prices is a sentinel', 'price', withField(clean, 'price', 0.1, () => -999)],
    [
      'half of the notes are missing that are usually there',
      'note',
      withField(clean, 'note', 0.8, () => null),
    ],
    ['a complete field has gaps', 'code', withField(clean, 'code', 0.15, () => null)],
    ['texts among numbers', 'quantity', withField(clean, 'quantity', 0.05, () => 'many')],
    ['codes are padded', 'code', withField(clean, 'code', 0.2, value => ` ${value}`)],
    [
      'codes have another format',
      'code',
      withField(clean, 'code', 0.3, value => String(value).replace('-', '')),
    ],
    [
      'cities are misspelt',
      'city',
      withField(clean, 'city', 0.5, (value, i) => `${value}${String.fromCharCode(97 + (i % 26))}x`),
    ],
    ['a state that was never there', 'state', withField(clean, 'state', 0.2, () => 'lost')],
    ['empty dates', 'date', withField(clean, 'date', 0.2, () => '')],
    [
      'a state and a date have changed places',
      'date',
      clean.map(row => ({ ...row, date: row.state, state: row.date })),
    ],
  ])('%s: the field is named', (_, field, rows) => {
    const {
      status,
      issues = {},
      drift = [],
      anomalies = [],
      decision: { reason },
    } = source.judge(rows, false);
    expect(status).not.toBe('PASS');
    expect(anomalies.map(anomaly => anomaly.field)).toContain(field);
    expect(reason).toContain(`'${field}'`);
    const named = [
      ...Object.values(issues).flatMap(issue => Object.keys(issue)),
      ...drift.map(event => event.field),
    ];
    expect(named).toContain(field);
  });

  test('ten times the rows, or a tenth, is an anomaly of the row count', () => {
    const tenfold = Array.from({ length: 10 }, (_, i) => shopDay(7, 100 + i)).flat();
    for (const rows of [tenfold, clean.slice(0, 8)]) {
      const { status, issues, anomalies } = source.judge(rows, false);
      expect(status).not.toBe('PASS');
      expect(issues!.row_count_anomaly).toBe(true);
      const [anomaly] = anomalies!.filter(each => each.statistic === 'row_count');
      expect(anomaly).toMatchObject({ field: '*', observed: rows.length });
      expect(anomaly!.expected![0]).toBeLessThan(anomaly!.expected![1]);
    }
  });

  test('a required field that is gone and a type that is another block, a new field warns', () => {
    const without = clean.map(({ price: _, ...row }) => row);
    expect(source.judge(without, false)).toMatchObject({ status: 'BLOCK' });
    expect(
      source.judge(
        clean.map(row => ({ ...row, price: String(row.price) })),
        false,
      ).status,
    ).toBe('BLOCK');
    const added = source.judge(
      clean.map(row => ({ ...row, more: 1 })),
      false,
    );
    expect(added).toMatchObject({ status: 'WARN', drift: [{ kind: 'field_added', field: 'more' }] });
  });

  test('a batch that repeats an earlier one, in whatever order, is found', () => {
    const again = shopDay(7, 15).toReversed();
    const { status, anomalies } = source.judge(again, false);
    expect(status).not.toBe('PASS');
    expect(anomalies![0]).toMatchObject({ field: '*', statistic: 'repeated_batch' });
  });

  test('a column that is that of an earlier batch is found until it is usual; one of few values is not', () => {
    const old = shopDay(7, 15);
    const stale = (day: number): Row[] => {
      const fresh = [day, 100 + day, 200 + day].flatMap(each => shopDay(7, each));
      return old.map(({ code, gift }, i) => ({ ...fresh[i], code, gift }));
    };
    const known = warmed(7);
    const { status, anomalies, decision } = known.judge(stale(20));
    expect(status).toBe('WARN');
    expect(anomalies).toMatchObject([{ field: 'code', statistic: 'repeated_column', severity: 'warn' }]);
    expect(decision.reason).toContain("All values of 'code' are those of an earlier batch (req_");
    expect(known.judge(stale(21)).status).toBe('WARN');
    expect(known.judge(stale(22)).status).toBe('WARN');
    expect(known.judge(stale(23)).status).toBe('PASS');
  });

  test('a source that repeats itself is not told so again', () => {
    const constant = new Source();
    for (let day = 0; day < 6; day++) constant.judge([{ a: 1 }, { a: 2 }]);
    expect(constant.judge([{ a: 1 }, { a: 2 }]).status).toBe('PASS');
  });

  test('with fewer than three batches types are judged by the contract, and nulls by what any source may do', () => {
    const young = new Source();
    const rows = shopDay(3, 0);
    expect(young.judge(rows).status).toBe('PASS');
    const { status, gate } = young.judge(
      withField(rows, 'price', 0.1, () => 'free'),
      false,
    );
    expect(status).toBe('WARN');
    expect(gate).toMatchObject({ mode: 'adaptive', history: 1, learning: true });
    const gaps = young.judge(
      withField(rows, 'note', 0.9, () => null),
      false,
    );
    expect(gaps.status).toBe('BLOCK');
    expect(gaps.decision.reason).toContain("Null rate in 'note' rose");
  });

  test('thresholds that are given count on top', () => {
    const strict = { thresholds: { null_rate_warn: 0.1 } };
    const given = source.judge(clean, false, strict);
    expect(source.judge(clean, false).status).toBe('PASS');
    expect(given.status).toBe('WARN');
    expect(given.issues!.null_rates!.note!.threshold).toBe(0.1);
  });

  test('a larger budget of false alarms makes the gate more watchful, never less', () => {
    const slight = withField(clean, 'price', 0.04, value => value * 8);
    const unusual = (false_alarm_rate: number) =>
      source.judge(slight, false, { false_alarm_rate }).health_score;
    expect(unusual(0.2)).toBeLessThan(unusual(0.01));
    expect(unusual(0.01)).toBeLessThanOrEqual(unusual(0.0001));
  });

  test('one cell is no alarm unless its type is wrong, and lowers health all the same', () => {
    const [first, ...rest] = clean;
    const odd = source.judge([{ ...first!, code: null }, ...rest], false);
    expect(odd.status).toBe('PASS');
    expect(odd.health_score).toBeLessThan(source.judge(clean, false).health_score);
    expect(source.judge([{ ...first!, price: 'free' }, ...rest], false).status).toBe('WARN');
  });

  test('a new value is found as soon as the baseline knows a field as one of few values', () => {
    const source = new Source();
    const batch = (others = 0) =>
      Array.from({ length: 30 }, (_, i) => ({
        state: i < others ? 'lost' : ['open', 'paid', 'sent'][i % 3]!,
      }));
    // A field is one of few values from 100 texts on.
    for (let day = 0; day < 4; day++) source.judge(batch());
    const { status, anomalies } = source.judge(batch(4));
    expect(status).toBe('WARN');
    expect(anomalies).toContainEqual(
      expect.objectContaining({
        field: 'state',
        statistic: 'new_value_share',
        observed: expect.closeTo(4 / 30),
      }),
    );
  });

  test('a column that no longer goes with the one beside it is named, and so is that one', () => {
    const paired = (day: number): Row[] => {
      const random = randomOf(day);
      return Array.from({ length: 100 }, () => {
        const place = random.below(40);
        return { zip: `Z${place}`, place: `place ${place}`, weight: Math.round(random.normal() * 100) };
      });
    };
    const places = new Source();
    for (let day = 0; day < 14; day++) places.judge(paired(day));
    const rows = paired(14);
    expect(places.judge(rows, false).status).toBe('PASS');
    const moved = rows.map((row, i) => ({ ...row, place: rows[(i + 7) % 100]!.place }));
    const {
      status,
      anomalies,
      decision: { reason },
    } = places.judge(moved, false);
    expect(status).not.toBe('PASS');
    expect(
      anomalies!.filter(each => each.statistic === 'distinct_pair_share').map(each => each.field),
    ).toEqual(expect.arrayContaining(['zip', 'place']));
    expect(reason).toContain("'place'");
  });

  test('numbers that cluster raise no alarm where a quantile jumps from one cluster to the next', () => {
    const clustered = (day: number): Row[] => {
      const random = randomOf(900 + day);
      const share = 0.5 + 0.06 * random.normal();
      return Array.from({ length: 100 }, () => ({
        account: (random.unit() < share ? 1e6 : 42e6) + random.below(1000),
      }));
    };
    const accounts = new Source();
    const alarms = Array.from({ length: 40 }, (_, day) => accounts.judge(clustered(day)).status).filter(
      status => status !== 'PASS',
    );
    expect(alarms.length).toBeLessThanOrEqual(1);
    const elsewhere = clustered(40).map(row => ({ account: (row.account as number) + 20e6 }));
    expect(accounts.judge(elsewhere, false).status).not.toBe('PASS');
  });

  test('a batch of twice the rows has fewer distinct ones among them, and rows that are there twice show', () => {
    const of = (day: number, size: number): Row[] => {
      const random = randomOf(70 + day);
      return Array.from({ length: size }, (_, i) => ({ id: `${day}-${i}`, city: `c${random.below(60)}` }));
    };
    const cities = new Source();
    for (let day = 0; day < 20; day++) cities.judge(of(day, '01101001110010011010'[day] === '1' ? 160 : 80));
    expect(cities.judge(of(30, 160), false).status).toBe('PASS');
    const twice = [...of(30, 80), ...of(30, 80)];
    expect(cities.judge(twice, false).anomalies!.map(each => [each.field, each.statistic])).toContainEqual([
      'id',
      'distinct_share',
    ]);
  });

  test('beside a type that is another, what else was found is in the reason too', () => {
    const rows = shopDay(5, 20).map(row => ({ ...row, state: 5, city: null }));
    const {
      anomalies,
      decision: { reason },
      status,
    } = warmed(5).judge(rows, false);
    expect(status).toBe('BLOCK');
    expect(anomalies!.map(({ field }) => field)).toContain('city');
    expect(reason).toContain("'state' changed from string to number");
    expect(reason).toContain("Null rate in 'city' rose from 0% to 100%");
  });
});
