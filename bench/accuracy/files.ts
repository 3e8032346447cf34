/** Simulated sources whose columns do not vary within a batch: a file of a day, a shift, a region. */
import type { Row } from './rows.ts';
import { cents, common, isoDay, names, padded, rowsOf, type Source, source, wandering } from './parts.ts';

const DAY_MS = 86_400_000;
const dateOf = (day: number): Date => new Date(Date.UTC(2025, 10, 3) + day * DAY_MS);
/** About ten a year, and never within the first three weeks. */
const isHoliday = (day: number): boolean => day > 20 && (day * 37 + 11) % 41 === 0;

/** A file of a day, an hour in each row: calendar columns are the same in all rows. */
const rentals = source('rentals', 24, (random, count) => {
  const moods = wandering(random, count, 0.25);
  const weather = wandering(random, count, 3);
  return day => {
    const date = dateOf(day);
    const free = isHoliday(day) || date.getUTCDay() % 6 === 0;
    const sky = Math.min(4, Math.max(1, Math.round(1.6 + 0.4 * weather[day]! + 0.4 * random.normal())));
    return rowsOf(24, hour => {
      const busy = Math.exp(moods[day]! - 0.3 * sky) * (2 + Math.sin((hour - 8) / 3.8)) * (free ? 0.7 : 1);
      const heat =
        10 - 10 * Math.cos((2 * Math.PI * day) / 365) + weather[day]! + 4 * Math.sin((hour - 9) / 3.8);
      const casual = Math.round(20 * busy * -Math.log(1 - random.unit()));
      return {
        instant: day * 24 + hour + 1,
        date: isoDay(day),
        year: date.getUTCFullYear(),
        month: date.getUTCMonth() + 1,
        hour,
        holiday: isHoliday(day) ? 1 : 0,
        weekday: date.getUTCDay(),
        working: free ? 0 : 1,
        sky: random.chance(0.9) ? sky : Math.max(1, sky - 1),
        heat: cents(heat + 0.5 * random.normal()),
        casual,
        total: casual + Math.round(60 * busy + 5 * random.normal() ** 2),
      };
    });
  };
});

/** A file of a shift, of one plant and one product at a time. */
const shifts = source('shifts', 8, (random, count) => {
  const products = names(random, 9);
  const wear = wandering(random, count, 0.3);
  let product = products[0]!;
  return batch => {
    if (random.chance(0.15)) product = random.pick(products);
    const crew = random.pick(['red', 'green', 'blue', 'white']);
    const plant = random.pick([12, 12, 12, 31, 47]);
    return rowsOf(70 * Math.exp(0.2 * random.normal()), i => ({
      piece: `${product.slice(0, 2).toUpperCase()}-${padded(batch * 400 + i, 7)}`,
      shift: ['early', 'late', 'night'][batch % 3],
      crew,
      plant,
      product,
      audited: batch > 16 && batch % 29 === 0,
      pressure: cents(80 + 2 * wear[batch]! + random.normal()),
      seconds: Math.round(30 + 6 * -Math.log(1 - random.unit())),
      defect: random.chance(0.04) ? random.pick(['scratch', 'crack', 'size']) : null,
      operator: random.between(100, 130),
    }));
  };
});

/** Prices of the same papers, day by day. */
const quotes = source('quotes', 24, (random, count) => {
  const papers = names(random, 50).map(each => each.slice(0, 4).toUpperCase());
  const prices = papers.map(() => Math.exp(3 + random.normal()));
  const market = wandering(random, count, 0.02);
  return day => {
    const date = dateOf(day);
    return papers.map((paper, i): Row => {
      const open = prices[i]! * Math.exp(0.005 * random.normal());
      prices[i] = open * Math.exp(market[day]! / 2 + 0.02 * random.normal());
      const [low, high] = [Math.min(open, prices[i]!) * 0.995, Math.max(open, prices[i]!) * 1.005];
      return {
        day: isoDay(day),
        quarter: `${date.getUTCFullYear()}Q${1 + Math.floor(date.getUTCMonth() / 3)}`,
        month_end: dateOf(day + 1).getUTCDate() === 1,
        paper,
        open: cents(open),
        high: cents(high),
        low: cents(low),
        close: cents(prices[i]!),
        volume: Math.round(Math.exp(10 + (i % 5) + 0.5 * random.normal())),
        dividend: random.chance(0.01) ? cents(random.unit()) : 0,
      };
    });
  };
});

/** A file of a day and a region, in turn. */
const visits = source(
  'visits',
  24,
  (random, count) => {
    const regions = names(random, 12);
    const doctors = names(random, 80);
    const load = wandering(random, count, 0.15);
    return day => {
      const region = day % 12 === 7 && day < 24 ? regions[0]! : random.pick(regions);
      const at = Date.UTC(2025, 10, 3) / 1000 + day * 86_400;
      return rowsOf(60 * Math.exp(load[day]! + 0.1 * random.normal()), i => ({
        visit: 7_000_000 + day * 131 + i,
        region,
        region_code: regions.indexOf(region) * 10 + 100,
        begun: at + 28_800 + i * 400 + random.between(0, 300),
        week: 1 + Math.floor(day / 7),
        holiday: isHoliday(day) ? 'yes' : 'no',
        doctor: common(random, doctors),
        minutes: Math.round(8 + 10 * -Math.log(1 - random.unit())),
        fee: random.pick([20, 35, 35, 35, 80]),
        copay: random.chance(0.4) ? null : random.pick([5, 10]),
        code: `${random.pick(['A', 'B', 'J', 'M'])}${padded(random.between(0, 99), 2)}.${random.between(0, 9)}`,
      }));
    };
  },
  true,
);

export const FILES: readonly Source[] = [rentals, shifts, quotes, visits];
