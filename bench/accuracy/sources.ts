/**
 * Simulated sources, each a sequence of batches from a seed. As in real sources, batches vary by more than sampling: levels
 * wander, shares drift, volumes vary, some weeks are odd. Each source is hard in its own way.
 */
import { FILES } from './files.ts';
import {
  cents,
  common,
  hex,
  isoDay,
  isoSecond,
  name,
  names,
  padded,
  rowsOf,
  sentence,
  type Source,
  source,
  wandering,
  word,
} from './parts.ts';

export type { Source } from './parts.ts';

const orders = source('orders', 24, (random, count) => {
  const moods = wandering(random, count, 0.15);
  const cities = names(random, 120);
  return day => {
    const missing = 0.3 + 0.1 * random.unit();
    return rowsOf(90 * Math.exp(0.3 * random.normal()), i => ({
      id: day * 10_000 + i,
      code: `AB-${padded(random.between(0, 9999), 4)}`,
      price: cents(Math.exp(3 + moods[day]! + 0.8 * random.normal())),
      quantity: 1 + Math.floor(-Math.log(1 - random.unit())),
      city: common(random, cities),
      state: random.pick(['open', 'paid', 'sent', 'back']),
      gift: random.chance(0.2),
      note: random.chance(missing) ? null : `call ${random.between(0, 99)} times`,
      day: isoDay(day),
    }));
  };
});

/** Four batches a day; nights and weekends differ. */
const traffic = source('traffic', 6, (random, count) => {
  const paths = names(random, 30).map(each => `/${each.toLowerCase()}`);
  const levels = wandering(random, count, 0.1);
  return batch => {
    const night = batch % 4 === 0;
    const weekend = Math.floor(batch / 4) % 7 >= 5;
    const busy = Math.exp(levels[batch]! + (night ? -1 : 0) + (weekend ? -0.5 : 0));
    return rowsOf(200 * busy * Math.exp(0.1 * random.normal()), i => ({
      at: isoSecond((batch * 6 * 3600 + i * 60) * 1000),
      path: night && random.chance(0.3) ? '/robots.txt' : common(random, paths),
      status: random.chance(0.9) ? 200 : random.pick([301, 404, 404, 500]),
      bytes: Math.round(Math.exp(7 + 1.2 * random.normal())),
      ms: cents((10 + 20 * busy) * -Math.log(1 - random.unit())),
      agent: common(random, ['Mozilla/5.0', 'curl/8.1', 'Bot/2.0 (x)']),
      session: hex(random, 16),
      user: random.chance(weekend ? 0.6 : 0.3) ? null : random.between(1000, 9999),
    }));
  };
});

/** Everything grows. */
const growth = source('growth', 24, random => {
  const products = names(random, 200);
  return day => {
    const scale = 1.02 ** day * Math.exp(0.05 * random.normal());
    return rowsOf(80 * scale, i => ({
      order: 500_000 + day * 1000 + i * 3,
      created: isoSecond((day * 86_400 + i * 700) * 1000),
      product: products[Math.min(199, Math.floor((40 + 3 * day) * random.unit() ** 2))],
      amount: cents(20 * scale * -Math.log(1 - random.unit())),
      items: random.between(1, 4),
      // Users adopt a release over some days.
      version: `v${1 + Math.floor((day + 8 * random.unit()) / 15)}.${random.between(0, 9)}`,
      premium: random.chance(Math.min(0.8, 0.1 + 0.01 * day)),
      region: random.pick(['north', 'south', 'east', 'west']),
    }));
  };
});

/** Most cells are empty, and the others are of many kinds. */
const sparse = source('sparse', 24, (random, count) => {
  const shares = Array.from({ length: 6 }, () => wandering(random, count, 0.04));
  const some = (day: number, column: number, usual: number, make: () => unknown): unknown =>
    random.unit() < usual + shares[column]![day]! ? make() : null;
  return day =>
    rowsOf(110 * Math.exp(0.15 * random.normal()), i => ({
      key: `K${padded(day * 200 + i, 7)}`,
      middle: some(day, 0, 0.2, () => name(random)),
      phone: some(day, 1, 0.3, () => `+49 ${random.between(100, 999)} ${random.between(10_000, 99_999)}`),
      discount: some(day, 2, 0.1, () => random.pick([5, 10, 15, 20])),
      score: some(day, 3, 0.4, () => cents(50 + 15 * random.normal())),
      tags: some(day, 4, 0.5, () => Array.from({ length: random.between(1, 3) }, () => random.between(1, 9))),
      size: some(day, 5, 0.6, () => ({ w: random.between(1, 99) })),
      comment: random.chance(0.85) ? '' : sentence(random, 3, 9),
      kind: common(random, ['basic', 'plus', 'pro', 'legacy']),
    }));
});

/** Numbers used as identifiers: they form clusters, and their distances mean nothing. */
const identifiers = source('identifiers', 24, random => {
  const stores = Array.from({ length: 60 }, () => random.between(1, 9) * 1000 + random.between(0, 30));
  const accounts = Array.from(
    { length: 400 },
    () => random.pick([1, 7, 7, 42]) * 1e6 + random.between(0, 999),
  );
  const places = new Map(stores.map(store => [store, name(random)]));
  const prices = [0.99, 1.49, 1.99, 4.99, 9.99, 19.99, 99];
  return () => {
    const main = random.between(0, 59);
    return rowsOf(120 * Math.exp(0.1 * random.normal()), () => {
      const store = random.chance(0.15) ? stores[main]! : common(random, stores);
      return {
        store,
        place: places.get(store),
        account: random.pick(accounts),
        zip: padded(10_000 + 100 * random.between(0, 40) + random.between(0, 3), 5),
        zone: random.between(0, 40) * 100,
        price: common(random, prices),
        year: random.between(2014, 2026),
        flag: random.chance(0.02) ? 1 : 0,
      };
    });
  };
});

/** Texts that hardly ever repeat. */
const people = source(
  'people',
  24,
  random => () =>
    rowsOf(100 * Math.exp(0.1 * random.normal()), () => {
      const [first, last] = [name(random), name(random)];
      return {
        name: `${first} ${last}`,
        mail: `${first}.${last}@${word(random)}.example`.toLowerCase(),
        street: `${name(random)} Street ${random.between(1, 200)}`,
        born: isoDay(-365 * random.between(18, 80) - random.between(0, 364)),
        phone: `0${random.between(100, 999)}/${random.between(100_000, 9_999_999)}`,
        about: sentence(random, 4, 20),
        income: Math.round(Math.exp(10 + 0.6 * random.normal()) / 100) * 100,
        children: Math.floor(-1.2 * Math.log(1 - random.unit())),
      };
    }),
);

/** Rows depend on the row before, fields on each other, and values on the season. */
const sensors = source('sensors', 12, (random, count) => {
  const weather = wandering(random, count, 3);
  return batch => {
    const base = 12 + 10 * Math.sin((2 * Math.PI * batch) / 120) + weather[batch]! + (batch % 2 ? 4 : -4);
    let heat = base;
    return rowsOf(96, i => {
      heat += 0.3 * (base - heat) + 0.7 * random.normal();
      return {
        at: 1_767_225_600 + batch * 43_200 + i * 450,
        device: `dev-${padded(i % 12, 2)}`,
        heat: Math.round(heat * 10) / 10,
        damp: Math.round(Math.min(100, Math.max(5, 70 - 1.5 * (heat - 12) + 5 * random.normal()))),
        pressure: Math.round((1013 + 2 * weather[batch]! + random.normal()) * 10) / 10,
        rain: random.chance(0.7) ? 0 : cents(-3 * Math.log(1 - random.unit())),
        power: random.chance(0.01) ? null : cents(3.3 + 0.05 * random.normal()),
        state: random.chance(0.97) ? 'ok' : 'low',
      };
    });
  };
});

/** About 18 rows in a batch. */
const few = source('few', 168, random => {
  const teams = names(random, 25);
  return () =>
    rowsOf(18 + 4 * random.normal(), i => ({
      nr: i + 1,
      team: random.pick(teams),
      points: random.between(0, 90),
      ratio: Math.round(random.unit() * 1000) / 1000,
      coach: `${name(random)} ${name(random)}`,
      league: random.pick(['A', 'B', 'C']),
      home: random.chance(0.5),
    }));
});

const freight = source(
  'freight',
  24,
  (random, count) => {
    const ports = names(random, 45).map(each => each.slice(0, 3).toUpperCase());
    const countries = new Map(ports.map(port => [port, random.pick(['DE', 'NL', 'FR', 'PL', 'SE', 'IT'])]));
    const costs = wandering(random, count, 0.1);
    return day =>
      rowsOf(150 * Math.exp(0.2 * random.normal()) * (day % 7 === 6 ? 0.3 : 1), i => {
        const [from, to] = [common(random, ports), random.pick(ports)];
        const weight = Math.exp(5 + random.normal());
        return {
          tracking: `${from}${padded(day * 500 + i, 8)}`,
          from,
          to,
          country: countries.get(to),
          weight: Math.round(weight * 10) / 10,
          cost: `€${(12 + 0.08 * weight * Math.exp(costs[day]! + 0.1 * random.normal())).toFixed(2)}`,
          pieces: 1 + Math.floor(weight / 200),
          due: isoDay(day + random.between(2, 9)),
          status: common(random, ['booked', 'loaded', 'customs', 'held']),
          remark: random.chance(0.9) ? null : sentence(random, 2, 6),
        };
      });
  },
  true,
);

const ledger = source(
  'ledger',
  24,
  random => {
    const accounts = Array.from(
      { length: 70 },
      () => random.pick([1, 2, 4, 4, 8]) * 1000 + random.between(0, 60) * 10,
    );
    return day => {
      const closing = day % 30 >= 28;
      return rowsOf((closing ? 140 : 70) * Math.exp(0.2 * random.normal()), i => {
        const amount = cents(Math.exp(4.5 + 1.5 * random.normal()) * (random.chance(0.45) ? -1 : 1));
        return {
          entry: 2_026_000_000 + day * 300 + i,
          account: closing && random.chance(0.4) ? 8400 : common(random, accounts),
          contra: common(random, accounts),
          amount,
          tax: random.chance(0.3) ? 0 : cents(amount * 0.19),
          currency: random.chance(0.93) ? 'EUR' : random.pick(['USD', 'CHF', 'GBP']),
          memo: `${random.pick(['Invoice', 'Payment', 'Refund'])} ${random.between(10_000, 99_999)}`,
          booked: isoDay(day - random.between(0, 3)),
          clerk: random.pick(['mk', 'jt', 'ab', 'rs', 'lw']),
          approved: random.chance(0.98),
        };
      });
    };
  },
  true,
);

const survey = source(
  'survey',
  48,
  (random, count) => {
    const moods = wandering(random, count, 0.3);
    return batch =>
      rowsOf(60 * Math.exp(0.25 * random.normal()), () => {
        const mood = moods[batch]! + random.normal();
        const likert = (): number | null =>
          random.chance(0.08) ? null : Math.min(5, Math.max(1, Math.round(3 + mood + 0.7 * random.normal())));
        return {
          id: hex(random, 8),
          age: random.between(18, 85),
          q1: likert(),
          q2: likert(),
          q3: likert(),
          nps: Math.min(10, Math.max(0, Math.round(6 + 2 * mood))),
          language: common(random, ['de', 'en', 'fr', 'tr']),
          channel: random.pick(['mail', 'app', 'web']),
          comment: random.chance(0.55) ? '' : sentence(random, 2, 30),
          minutes: cents(2 + 6 * -Math.log(1 - random.unit())),
          consent: true,
        };
      });
  },
  true,
);

export const SOURCES: readonly Source[] = [
  orders,
  traffic,
  growth,
  sparse,
  identifiers,
  people,
  sensors,
  few,
  freight,
  ledger,
  survey,
  ...FILES,
];
