/** Ten shapes of JSON rows, each hard in its own way, so that no gain on one hides a loss on another. */
import type { Random } from './random.ts';
import { type Row, wideTable } from './tables.ts';

export interface Shape {
  rows(random: Random, count: number): Row[];
  /** Spaces for each level; 0 writes no whitespace. */
  indent: number;
}

type Cell = (random: Random) => unknown;

const compact = (rows: Shape['rows']): Shape => ({ rows, indent: 0 });

/** `columns` columns with one kind of cell. */
const uniform = (columns: number, cell: Cell): Shape =>
  compact((random, count) =>
    Array.from({ length: count }, () =>
      Object.fromEntries(Array.from({ length: columns }, (_, i) => [`field_${i}`, cell(random)])),
    ),
  );

const mapped = (change: (random: Random, entries: [string, unknown][]) => [string, unknown][]): Shape =>
  compact((random, count) =>
    wideTable(random, count).map(row => Object.fromEntries(change(random, Object.entries(row)))),
  );

const SENTENCES = [
  'The shipment left the warehouse in the morning and reached the harbour before noon. ',
  'Nobody was at home, so the driver tried again on the following day. ',
  'All items were counted twice and found complete. ',
];
const FOREIGN = [
  'Grüße aus Köln',
  'おはようございます',
  'здравствуй',
  'καλημέρα',
  'ça va très bien',
  '🚚 unterwegs',
];
const NEEDS_ESCAPES = ['say "yes"\n', 'a\\b\\c\t', '"quoted" and\r\n', 'tab\there "x"\n'];

function longText(random: Random): string {
  const length = random.between(200, 1000);
  let text = '';
  while (text.length < length) text += random.pick(SENTENCES);
  return text.slice(0, length);
}

const nested = compact((random, count) =>
  wideTable(random, count).map(row => ({
    id: row.order_id,
    customer: { name: row.customer_name, contact: { email: row.email, codes: [1, 2, { of: 'x' }] } },
    tags: [row.status, row.tier, 'all'],
    total: row.total,
  })),
);

export const SHAPES: Readonly<Record<string, Shape>> = {
  small_integers: uniform(20, random => random.between(0, 999)),
  floats_17_digits: uniform(20, random => random.unit() * 1000),
  pretty_printed: { rows: wideTable, indent: 2 },
  keys_missing: mapped((random, entries) => entries.filter(() => !random.chance(0.2))),
  keys_shuffled: mapped((random, entries) => random.shuffled(entries)),
  long_text: compact((random, count) =>
    Array.from({ length: count }, () => ({ id: random.between(0, 999_999), text: longText(random) })),
  ),
  escapes: uniform(10, random => random.pick(NEEDS_ESCAPES) + random.between(0, 9999)),
  nested,
  booleans_nulls: uniform(20, random => (random.chance(0.3) ? null : random.chance(0.5))),
  non_ascii: uniform(10, random => `${random.pick(FOREIGN)} ${random.between(0, 9999)}`),
};
