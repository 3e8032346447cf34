/** Rows as a shop would send them: the wide and the narrow table, with a null in every twentieth cell. */
import type { Random } from './random.ts';

export type Row = Record<string, unknown>;
type Value = (random: Random, row: number) => unknown;

const STATUSES = ['new', 'paid', 'packed', 'sent', 'delivered', 'returned'];
const COUNTRIES = ['AT', 'BR', 'CA', 'DE', 'ES', 'FR', 'GB', 'IN', 'JP', 'NO', 'US'];
const TIERS = ['basic', 'plus', 'business', 'partner'];
const GIVEN = ['ada', 'boris', 'chen', 'dora', 'emil', 'farah', 'goran', 'hilda', 'imran', 'jana', 'kofi'];
const FAMILY = ['okafor', 'larsen', 'moreau', 'tanaka', 'weiss', 'novak', 'haddad', 'costa', 'dubois'];
/** About every third note needs an escape in JSON; every second one needs quotes in CSV; every second one has letters outside ASCII. */
const WORDS = [
  ...'please leave the parcel with a neighbour at number seven and call before delivery'.split(' '),
  ...'second floor left door bell does not work thanks gift paper wanted'.split(' '),
  ...['crème', 'Łódź', '東京', '"fragile"', 'first line\nsecond line', 'a, b'],
];

const NULL_SHARE = 0.05;
const NULLABLE = 'customer_name';
const NOISY_NULL_SHARE = 0.3;
const EMPTY_NOTE_SHARE = 0.02;
const OUTLIER_SHARE = 0.002;
const YEAR_MS = 365 * 24 * 3600 * 1000;
const BEGIN_MS = Date.UTC(2025, 0, 1);

const hex = (random: Random, digits: number): string =>
  (random.bits() % 16 ** digits).toString(16).padStart(digits, '0');

const instant: Value = random => new Date(BEGIN_MS + Math.floor(random.unit() * YEAR_MS)).toISOString();
const decimals = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places;

const uuid: Value = random =>
  [hex(random, 8), hex(random, 4), `4${hex(random, 3)}`, `a${hex(random, 3)}`].join('-') +
  `-${hex(random, 6)}${hex(random, 6)}`;

const words: Value = random =>
  Array.from({ length: random.between(3, 11) }, () => random.pick(WORDS)).join(' ');

/** Prices are skewed, with a few outliers. */
const total: Value = random =>
  random.chance(OUTLIER_SHARE) ? 250000.5 : decimals(Math.exp(3.5 + 0.8 * random.normal()), 2);

const WIDE: Record<string, Value> = {
  order_id: (_, row) => 500_000 + row,
  session_id: uuid,
  placed_at: instant,
  total,
  quantity: random => random.between(1, 48),
  status: random => random.pick(STATUSES),
  email: random => `${random.pick(GIVEN)}.${random.pick(FAMILY)}${random.between(1, 9999)}@example.org`,
  gift: random => random.chance(0.2),
  country: random => random.pick(COUNTRIES),
  note: (random, row) => (random.chance(EMPTY_NOTE_SHARE) ? '' : words(random, row)),
  shipped_at: instant,
  latitude: random => decimals(180 * random.unit() - 90, 6),
  longitude: random => decimals(360 * random.unit() - 180, 6),
  risk_score: random => random.unit(),
  customer_age: random => random.between(18, 92),
  customer_name: random => `${random.pick(GIVEN)} ${random.pick(FAMILY)}`,
  tier: random => random.pick(TIERS),
  confirmed: random => random.chance(0.5),
  client_ip: random => Array.from({ length: 4 }, () => random.between(1, 254)).join('.'),
  balance_change: random => decimals(25 * random.normal(), 3),
};

const NARROW_NAMES = [
  ...['order_id', 'placed_at', 'total', 'quantity', 'status'],
  ...['email', 'gift', 'country', 'risk_score', 'customer_name'],
];

/** 20 columns of many kinds. */
export const wideTable = (random: Random, rows: number): Row[] => tableOf(random, rows, Object.entries(WIDE));

/** 10 of these columns. */
export const narrowTable = (random: Random, rows: number): Row[] =>
  tableOf(
    random,
    rows,
    NARROW_NAMES.map(name => [name, WIDE[name]!]),
  );

/** The narrow table with nulls in one column only: of ten rows each, about a third of the batches are WARN. */
export const noisyTable = (random: Random, rows: number): Row[] =>
  tableOf(
    random,
    rows,
    NARROW_NAMES.map(name => [name, WIDE[name]!]),
    name => (name === NULLABLE ? NOISY_NULL_SHARE : 0),
  );

function tableOf(
  random: Random,
  rows: number,
  columns: [string, Value][],
  nullShare = (name: string): number => (name === 'order_id' ? 0 : NULL_SHARE),
): Row[] {
  const cell = (name: string, value: Value, row: number): unknown =>
    random.chance(nullShare(name)) ? null : value(random, row);
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(columns.map(([name, value]) => [name, cell(name, value, row)])),
  );
}
