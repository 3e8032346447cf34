/** Histories made by hand, each about one thing that the made-up sources do not show. */
import { Random } from '../../bench/random.ts';
import {
  asksForRows,
  called,
  csvText,
  type Format,
  type History,
  type Options,
  type Row,
  type Step,
  screened,
} from './steps.ts';

const STATUS = ['open', 'paid', 'sent', 'back'];
const cents = (value: number): number => Math.round(value * 100) / 100;

/** A shop's rows, all as they should be. */
const shop = (random: Random, batch: number, rows: number): Row[] =>
  Array.from({ length: rows }, (_, i) => ({
    id: batch * 1000 + i,
    sku: `AB-${String(random.between(0, 9999)).padStart(4, '0')}`,
    price: cents(28 + 4 * random.normal()),
    quantity: random.between(1, 9),
    status: random.pick(STATUS),
    paid: random.chance(0.7),
    note: random.chance(0.1) ? null : `call ${random.between(1, 99)} times`,
  }));

type Change = (row: Row, i: number, random: Random) => Row;
type Turn = [name: string, change: Change | null, options?: Options | undefined];

/** `clean` batches as they should be, then one for each turn. */
function history(
  source: string,
  seed: number,
  format: Format,
  clean: number,
  turns: readonly (Turn | Step)[],
  { rows = 60, make = shop, options = {} as Options, everyHours = 24 } = {},
): History {
  const random = new Random(seed);
  const steps: Step[] = [];
  const rowsOf = (at: number) => make(random, at, rows);
  const asked = (at: number): Options => (asksForRows(at) ? { row_verdicts: true } : {});
  for (let at = 0; at < clean; at++)
    steps.push(screened(`clean ${at}`, format, rowsOf(at), { ...asked(at), ...options }));
  for (const turn of turns) {
    if ('kind' in turn) {
      steps.push(turn);
      continue;
    }
    const [name, change, more] = turn;
    const at = steps.length;
    const batch = rowsOf(at).map((row, i) => (change ? change(row, i, random) : row));
    steps.push(screened(name, format, batch, { ...asked(at), ...options, ...more }));
  }
  return { source, everyHours, steps };
}

const set =
  (share: number, field: string, value: (row: Row, i: number, random: Random) => unknown): Change =>
  (row, i, random) =>
    random.chance(share) ? { ...row, [field]: value(row, i, random) } : row;
const without =
  (...names: string[]): Change =>
  row =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
const both =
  (...changes: Change[]): Change =>
  (row, i, random) =>
    changes.reduce((changed, change) => change(changed, i, random), row);
const clean = (name: string, options?: Options): Turn => [name, null, options];

// ---- text in a field of numbers ----

const priceAsText = (share: number): Change =>
  both(
    (row, i) => ({ ...row, price: 4_287_000 + (i % 1000) }),
    set(share, 'price', ({ price }) => `${price} EUR`),
  );

const textTurns: Turn[] = [
  ['price is text in 60%', priceAsText(0.6)],
  ['price is text in 60%, with rows', priceAsText(0.6), { row_verdicts: true }],
  ['price is text in 10%', set(0.1, 'price', ({ price }) => `${price}`)],
  ['price is text in 3%', set(0.03, 'price', () => 'n/a')],
  ['price is text in all', set(1, 'price', ({ price }) => `${price} EUR`)],
  ['price is text in half, the others as usual', set(0.5, 'price', () => 'secret-price')],
];

const leak = (source: string, seed: number, format: Format): History =>
  history(source, seed, format, 18, textTurns);

// ---- ragged and quoted CSV ----

function raggedCsv(random: Random, rows: number, share: number, delimiter = ','): string {
  const lines = [['id', 'name', 'amount', 'remark'].join(delimiter)];
  for (let i = 0; i < rows; i++) {
    const remark = random.pick([
      'plain',
      `"a ""quoted"" one"`,
      `"two\nlines"`,
      `"with ${delimiter} in it"`,
      '',
    ]);
    const cells = [
      String(i),
      random.pick(['Ann', 'Ben', 'Cleo', 'Dörte']),
      String(random.between(1, 500)),
      remark,
    ];
    if (random.chance(share)) random.chance(0.5) ? cells.pop() : cells.push('surplus');
    lines.push(cells.join(delimiter));
    if (random.chance(0.02)) lines.push('');
  }
  return `${lines.join('\n')}\n`;
}

function ragged(): History {
  const random = new Random(301);
  const shares = [0, 0, 0, 0.01, 0, 0.04, 0, 0.08, 0.15, 0, 0.3, 0.6, 0, 0, 0.1, 0];
  const steps = shares.map((share, at): Step => {
    const options = at % 2 ? { row_verdicts: true } : {};
    if (at % 4 === 2)
      return csvText(`ragged ${share}, semicolons`, raggedCsv(random, 80, share, ';'), options, {
        'X-CSV-Delimiter': ';',
      });
    return csvText(`ragged ${share}`, raggedCsv(random, 80, share), options);
  });
  return { source: 'ragged', everyHours: 24, steps };
}

function oddCsv(): History {
  const random = new Random(302);
  const rows = (line: (i: number) => string) => Array.from({ length: 40 }, (_, i) => line(i)).join('\n');
  const amount = () => random.between(1, 99);
  const steps: Step[] = [
    csvText('plain', `id,amount\n${rows(i => `${i},${amount()}`)}\n`),
    csvText('repeated header', `id,amount,amount\n${rows(i => `${i},${amount()},${amount()}`)}\n`),
    csvText('alike headers', `id,Amount,a_mount,amount\n${rows(i => `${i},${amount()},1,2`)}\n`),
    csvText('byte order mark and CRLF', `\ufeffid,amount\r\n${rows(i => `${i},${amount()}\r`)}\n`),
    csvText('no line break at the end', `id,amount\n${rows(i => `${i},${amount()}`)}`),
    csvText(
      'numbers of all kinds',
      `id,amount\n${rows(i => `${i},${['1e3', '-0', '0x10', '1.50', ' 7', '1,5'][i % 5]}`)}\n`,
    ),
    csvText(
      'words for nothing',
      `id,amount\n${rows(i => `${i},${['null', 'NULL', 'NaN', 'n/a', '""', ''][i % 6]}`)}\n`,
      { row_verdicts: true },
    ),
    csvText('words for true', `id,amount\n${rows(i => `${i},${['true', 'FALSE', 'True', '1'][i % 4]}`)}\n`, {
      row_verdicts: true,
    }),
    csvText('a header without a name', `id,,amount\n${rows(i => `${i},x,${amount()}`)}\n`),
    csvText('a header alone', 'id,amount\n'),
    csvText('an open quote', `id,amount\n1,"2\n3,4\n`),
    csvText('tabs', `id\tamount\n${rows(i => `${i}\t${amount()}`)}\n`, {}, { 'X-CSV-Delimiter': 'tab' }),
    csvText('one column', `amount\n${rows(() => `${amount()}`)}\n`),
    csvText('plain again', `id,amount\n${rows(i => `${i},${amount()}`)}\n`, { row_verdicts: true }),
  ];
  return { source: 'odd csv: "it"', everyHours: 24, steps };
}

// ---- names ----

const HOSTILE = [
  '__proto__',
  'constructor',
  'toString',
  'a "quoted" name',
  "it's: (odd) [0] {x}",
  'ends with colon:',
  'new\nline\ttab',
  '*',
  '',
  ' ',
  'Größe €',
  '\ud800',
  '😀',
  'null',
  '$ref',
  'x'.repeat(200),
];

function hostileNames(source: string, seed: number, format: Format): History {
  const make = (random: Random, batch: number, rows: number): Row[] =>
    Array.from({ length: rows }, (_, i) => {
      const row: Row = Object.create(null);
      row.id = batch * 1000 + i;
      for (const [at, name] of HOSTILE.entries())
        row[name] = at % 2 ? random.pick(['red: 1', 'green (2)', 'blue "3"']) : cents(10 + random.normal());
      return row;
    });
  const copied = (row: Row, name: string, value: unknown): Row => {
    const copy: Row = Object.assign(Object.create(null), row);
    copy[name] = value;
    return copy;
  };
  const one =
    (name: string, share: number, value: unknown): Change =>
    (row, _, random) =>
      random.chance(share) ? copied(row, name, value) : row;
  const dropped =
    (name: string): Change =>
    row => {
      const copy = copied(row, name, 0);
      delete copy[name];
      return copy;
    };
  return history(
    source,
    seed,
    format,
    9,
    [
      ['__proto__ is null', one('__proto__', 0.8, null)],
      ['__proto__ is text', one('__proto__', 0.4, 'text: "here" (50%)')],
      ['quoted name has new values', one('a "quoted" name', 0.3, 'purple: [new] (9%)')],
      ['odd name is gone', dropped("it's: (odd) [0] {x}")],
      ['constructor has new values', one('constructor', 0.4, 'never: "seen", (80% of rows)')],
      ['star is far', one('*', 0.3, 9e9)],
      ['star is 1', one('*', 1, 1)],
      ['surrogates in values', one('constructor', 0.5, '\udfff\ud800 half')],
      ['colon is gone', dropped('ends with colon:')],
      ['long name is empty', one('x'.repeat(200), 0.9, '')],
    ],
    { rows: 40, make },
  );
}

const repeatedKeys: History = {
  source: 'repeated keys',
  everyHours: 24,
  steps: Array.from({ length: 10 }, (_, at) =>
    screened(
      at % 2 ? 'keys twice' : 'keys once',
      at % 4 < 2 ? 'json' : 'ndjson',
      Array.from({ length: 30 }, (_, i) =>
        at % 2
          ? `{"id":${i},"value":${i % 7},"value":"${i % 5}","Val_ue":1,"id":${i + 1}}`
          : `{"id":${i},"value":${i % 7}}`,
      ),
      at % 3 ? {} : { row_verdicts: true },
    ),
  ),
};

// ---- fields come, go and change ----

const fieldTurns: Turn[] = [
  ['a new field', (row, i) => ({ ...row, colour: i % 2 ? 'red' : 'blue' })],
  ['two fields gone', without('price', 'note')],
  ['note gone', without('note')],
  ['paid is text', set(1, 'paid', ({ paid }) => (paid ? 'yes' : 'no'))],
  ['status is a number', set(1, 'status', ({ status }) => STATUS.indexOf(status as string))],
  [
    'quantity is mixed',
    set(
      1,
      'quantity',
      ({ quantity }, i) => [quantity, `${quantity}`, true, [quantity], { n: quantity }][i % 5],
    ),
  ],
  ['price is an object', set(1, 'price', ({ price }) => ({ amount: price, currency: 'EUR' }))],
  ['price is an array in a tenth', set(0.1, 'price', ({ price }) => [price])],
  ['sku renamed', both((row: Row) => ({ ...row, SKU: row.sku }), without('sku'))],
  ['all gone but id', without('sku', 'price', 'quantity', 'status', 'paid', 'note')],
  clean('clean again'),
];

// ---- nulls, empties, cardinality ----

const emptinessTurns: Turn[] = [
  ['price null in 15%', set(0.15, 'price', () => null)],
  ['price null in 40%', set(0.4, 'price', () => null)],
  ['price null in 80%', set(0.8, 'price', () => null)],
  ['status empty in 20%', set(0.2, 'status', () => '')],
  ['status empty in 70%', set(0.7, 'status', () => '')],
  [
    'status absent in 60%',
    (row, i, random) => (random.chance(0.6) ? without('status')(row, i, random) : row),
  ],
  ['note null in all', set(1, 'note', () => null)],
  ['quantity absent in all', without('quantity')],
  ['one null', (row, i) => (i === 7 ? { ...row, id: null } : row)],
  ['one of 2% null', set(0.02, 'quantity', () => null)],
];

const varietyTurns: Turn[] = [
  ['one new status', (row, i) => (i === 3 ? { ...row, status: 'lost' } : row)],
  ['new statuses in 20%', set(0.2, 'status', (_, i) => `new-${i % 4}`)],
  ['30 new statuses, one has a colon', set(0.9, 'status', (_, i) => `state: ${i % 30} (x)`)],
  ['one status alone', set(1, 'status', () => 'open')],
  ['ids repeat', set(1, 'id', (_, i) => i % 10)],
  ['sku repeats', set(1, 'sku', (_, i) => `AB-000${i % 3}`)],
  ['padded, upper and wide', set(0.5, 'status', ({ status }) => ` ${String(status).toUpperCase()}é `)],
  ['other formats', set(1, 'sku', (_, i, random) => `${random.between(10, 99)}/${i}x`)],
  ['long notes', set(1, 'note', (_, i) => 'lorem ipsum '.repeat(20 + (i % 9)))],
  ['sku in order, in pairs', set(1, 'sku', (_, i) => `AB-${String(i >> 1).padStart(4, '0')}`)],
  ['paid is always true', set(1, 'paid', () => true)],
];

const numberTurns: Turn[] = [
  ['three far prices', (row, i) => (i % 20 === 5 ? { ...row, price: 90_000 + i } : row)],
  ['one far price', (row, i) => (i === 5 ? { ...row, price: 1e7 } : row)],
  ['a price far below', (row, i) => (i === 5 ? { ...row, price: -1e7 } : row)],
  ['ten percent are far', set(0.1, 'price', (_, i) => 5000 + i)],
  ['whole prices', set(1, 'price', ({ price }) => Math.round(price as number))],
  ['prices of tens', set(1, 'price', ({ price }) => 10 * Math.round((price as number) / 10))],
  ['prices with one decimal', set(1, 'price', ({ price }) => Math.round((price as number) * 10) / 10)],
  ['prices with many decimals', set(1, 'price', ({ price }) => (price as number) / 3)],
  ['prices below zero', set(0.5, 'price', ({ price }) => -(price as number))],
  ['zero prices', set(0.3, 'price', () => 0)],
  ['one price', set(1, 'price', () => 28)],
  ['prices in order', set(1, 'price', (_, i) => 20 + i / 4)],
  ['prices twice as spread', set(1, 'price', ({ price }) => cents(28 + 5 * ((price as number) - 28)))],
  ['quantities go with prices', set(1, 'quantity', ({ price }) => Math.round((price as number) / 4))],
  ['numbers at the limits', set(0.2, 'price', (_, i) => [1e308, -1e308, 5e-324, 2 ** 53 + 1, -0][i % 5])],
];

// ---- rows ----

const rowTurns: Turn[] = [
  clean('as usual'),
  [
    'sampled and damaged',
    both(
      set(0.3, 'price', () => null),
      set(0.02, 'status', () => 'rare'),
    ),
  ],
  [
    'full scan and damaged',
    both(
      set(0.3, 'price', () => null),
      set(0.02, 'status', () => 'rare'),
    ),
    { full_scan: true },
  ],
  [
    'verdicts on rows',
    both(
      set(0.1, 'price', () => 'x'),
      set(0.02, 'quantity', () => 9999),
    ),
    { row_verdicts: true },
  ],
  ['sampled types', set(0.07, 'quantity', () => 'seven')],
];

/** Sizes of batches in turn. */
function sizes(source: string, seed: number, counts: readonly number[], format: Format): History {
  const random = new Random(seed);
  const steps = counts.map((count, at) =>
    screened(`${count} rows`, format, shop(random, at, count), asksForRows(at) ? { row_verdicts: true } : {}),
  );
  return { source, everyHours: 24, steps };
}

function chunks(): History {
  const random = new Random(401);
  const steps = Array.from({ length: 16 }, (_, at): Step => {
    const size = at > 8 && at % 3 === 0 ? 500 : 50;
    const options = at % 4 === 3 ? {} : { batch_index: at % 4, total_batches: 4 };
    return screened(
      `${size} rows, ${options.total_batches ? 'chunk' : 'whole'}`,
      'json',
      shop(random, at, size),
      options,
    );
  });
  return { source: 'chunks', everyHours: 1, steps };
}

function repeats(): History {
  const random = new Random(402);
  const batches = Array.from({ length: 10 }, (_, at) => shop(random, at, 60));
  const order = [0, 1, 2, 3, 1, 4, 5, 6, 7, 4, 8, 4, 9, 9];
  const steps = order.map((which, at): Step => {
    const rows = at === 9 ? batches[which]!.toReversed() : batches[which]!;
    return screened(`batch ${which}`, 'ndjson', rows, asksForRows(at) ? { row_verdicts: true } : {});
  });
  return { source: 'repeats', everyHours: 24, steps };
}

// ---- beginnings, runs, teaching ----

const broken: Change = both(
  set(0.9, 'price', () => null),
  set(0.5, 'quantity', () => 'many'),
);

const job = (back: number, more: Row = {}) => ({
  body: (jobs: readonly (string | null)[]) => ({ job_id: jobs.at(-back), ...more }),
});

const beginnings: History = history('begins blocked', 501, 'json', 0, [
  ['blocked at once', broken],
  ['blocked again', broken],
  ['better', set(0.1, 'price', () => null)],
  clean('clean'),
  ['blocked', broken],
  clean('clean'),
  clean('clean'),
  ['blocked twice', broken],
  ['blocked thrice', broken],
  clean('clean'),
]);

const accepted: History = history('accepts', 502, 'json', 8, [
  ['run 1', broken],
  ['run 2', broken],
  ['run 3', broken],
  ['run 4', broken, { dry_run: true }],
  ['run 5', broken],
  called('accept', 'POST', '/accept', job(1).body),
  ['after accept', broken],
  clean('as before'),
  called('feedback: bad', 'POST', '/feedback', job(1, { verdict: 'bad' }).body),
  ['after feedback', broken],
  clean('blocked now?'),
  called('feedback: expected', 'POST', '/feedback', job(1, { verdict: 'expected' }).body),
  clean('after it'),
]);

const pinned: History = history('pinned', 503, 'ndjson', 8, [
  called('pin', 'POST', '/pin', () => ({ pinned: true })),
  clean('pinned, clean'),
  ['pinned, new field', (row, i) => ({ ...row, extra: i })],
  ['pinned, new field again', (row, i) => ({ ...row, extra: i })],
  ['pinned, blocked', broken],
  ['pinned, blocked', broken],
  clean('pinned, clean'),
  called('unpin', 'POST', '/pin', () => ({ pinned: false })),
  clean('clean'),
  ['new field', (row, i) => ({ ...row, extra: i })],
]);

const usuallyNull: Change = both(
  set(0.45, 'note', () => null),
  set(0.1, 'quantity', () => 'some'),
);

const advised: History = history('advised', 504, 'csv', 0, [
  ...Array.from({ length: 8 }, (_, i): Turn => [`usually null ${i}`, usuallyNull]),
  called('settings', 'PUT', '/settings', () => ({
    thresholds: {
      null_rate_warn: 0.6,
      null_rate_block: 0.8,
      type_mismatch_warn: 0.2,
      type_mismatch_block: 0.4,
    },
  })),
  ['settled', usuallyNull],
  ['settled, worse', set(0.9, 'note', () => null)],
  called('settings: budget', 'PUT', '/settings', () => ({ false_alarm_rate: 0.1 })),
  ['settled', usuallyNull],
  called('settings', 'GET', '/settings'),
]);

const blockedAdvice: History = history('advised on a run', 505, 'json', 5, [
  ...Array.from(
    { length: 6 },
    (_, i): Turn => [
      `run ${i}`,
      both(
        set(0.85, 'note', () => null),
        set(0.85, 'sku', () => null),
      ),
    ],
  ),
  called('accept', 'POST', '/accept', job(1).body),
  ['after accept', set(0.85, 'note', () => null)],
  called('reset', 'DELETE', ''),
  clean('after reset'),
]);

const THRESHOLDS: Options[] = [
  { thresholds: { null_rate_warn: 0.05, null_rate_block: 0.1 } },
  { thresholds: { null_rate_block: 0.2 } },
  { thresholds: { type_mismatch_warn: 0.01 } },
  { thresholds: { type_mismatch_block: 0.05 } },
  { thresholds: { health_warn: 0.99 } },
  { thresholds: { health_block: 0.9 } },
  { thresholds: { null_rate_warn: 1, null_rate_block: 1, type_mismatch_warn: 1, type_mismatch_block: 1 } },
  { thresholds: { null_rate_warn: 0, null_rate_block: 0, type_mismatch_warn: 0 } },
  { false_alarm_rate: 0.2 },
  { false_alarm_rate: 0.0001 },
  { false_alarm_rate: 0.05, thresholds: { null_rate_warn: 0.1 } },
];

const little: Change = both(
  set(0.12, 'price', () => null),
  set(0.06, 'quantity', () => 'x'),
);

const overrides = (source: string, seed: number, format: Format): History =>
  history(
    source,
    seed,
    format,
    8,
    THRESHOLDS.map((options): Turn => [JSON.stringify(options), little, options]),
  );

const short = (seed: number, format: Format): History =>
  history(`short ${seed}`, seed, format, 2, [
    ['null in half', set(0.5, 'price', () => null)],
    ['text in a third', set(0.3, 'price', () => 'x')],
    ['new field', (row, i) => ({ ...row, extra: i })],
    ['field gone', without('status')],
    clean('clean'),
    ['far', set(0.05, 'price', () => 1e6)],
  ]);

// ---- values of all kinds ----

const nestedRows = (random: Random, batch: number, rows: number): Row[] =>
  Array.from({ length: rows }, (_, i) => ({
    key: `${batch}-${i}`,
    address: { city: random.pick(['Ulm', 'Bonn', 'Köln']), zip: random.between(10_000, 99_999) },
    tags: Array.from({ length: random.between(0, 3) }, () => random.pick(['a', 'b', 'c'])),
    live: random.chance(0.9),
    either: random.chance(0.8) ? random.between(1, 9) : `${random.between(1, 9)}`,
    always: 'same',
    nothing: null,
    when: new Date(Date.UTC(2026, 0, 1 + batch, 0, i)).toISOString(),
  }));

const nestedTurns: Turn[] = [
  ['address is text', set(1, 'address', () => 'Ulm')],
  ['address is null', set(0.5, 'address', () => null)],
  ['tags are objects in a third', set(0.3, 'tags', () => ({ a: 1 }))],
  ['live is mostly false', set(0.9, 'live', () => false)],
  ['live is a number in a tenth', set(0.1, 'live', () => 1)],
  ['either is always text', set(1, 'either', () => '5')],
  ['either is half', set(0.5, 'either', () => '5')],
  ['always is another', set(1, 'always', () => 'other')],
  ['nothing is something', set(1, 'nothing', (_, i) => i)],
  ['when is another format', set(1, 'when', (_, i) => `${1 + (i % 28)}.11.2026`)],
  ['when is in milliseconds', set(1, 'when', (_, i) => 1_790_000_000_000 + i)],
];

/** One batch of one row, none with a field, and what is refused. */
const odd: History = {
  source: 'odd ones',
  everyHours: 24,
  steps: [
    screened('one row', 'json', [{ a: 1, b: 'x', c: null }]),
    screened('empty rows', 'json', [{}, {}, {}]),
    screened('one row with a field', 'json', [{}, { a: 2 }, {}]),
    screened('all null', 'json', [{ a: null }, { a: null }]),
    screened('no rows', 'json', []),
    screened('rows that are no objects', 'json', ['1', '2']),
    screened('no JSON', 'json', ['{"a":']),
    screened('no NDJSON', 'ndjson', ['{"a":1}', 'x']),
    screened('wrong options', 'json', [{ a: 1 }], { thresholds: { null_rate: 1 } }),
    screened('deep', 'json', [`{"a":${'['.repeat(40)}${']'.repeat(40)}}`]),
    screened('escapes', 'ndjson', [{ a: '\u0000\u001f"\\/\u2028😀\ud800' }, { a: '\t\n' }]),
    screened('one row with verdicts', 'json', [{ a: 'x' }], { row_verdicts: true }),
  ],
};

/** More fields than a baseline keeps values of. */
function manyFields(): History {
  const counts = [1300, 1300, 1310];
  const steps = counts.map((count, at) => {
    const row = Object.fromEntries(Array.from({ length: count }, (_, i) => [`field ${i}`, i + at]));
    return screened(`${count} fields`, 'json', [row]);
  });
  return { source: 'many fields', everyHours: 24, steps };
}

/** Many fields, all of which break at once: more anomalies than are listed. */
const wideRows = (random: Random, batch: number, rows: number): Row[] =>
  Array.from({ length: rows }, (_, i) =>
    Object.fromEntries(
      Array.from({ length: 24 }, (_, at) => [
        `f${at}`,
        at % 3 === 0
          ? cents(100 + 10 * random.normal())
          : at % 3 === 1
            ? random.pick(STATUS)
            : `r${batch}-${i}`,
      ]),
    ),
  );
const wideTurns: Turn[] = [
  [
    'all other',
    row =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          typeof value === 'number' ? -7 * value : `${value} !?é`,
        ]),
      ),
  ],
  [
    'all null in half',
    (row, _, random) =>
      random.chance(0.5) ? Object.fromEntries(Object.keys(row).map(name => [name, null])) : row,
  ],
  [
    'all types other',
    row =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? `${value}` : 1]),
      ),
    { row_verdicts: true },
  ],
  clean('clean'),
];

export const CRAFTED: readonly History[] = [
  leak('leak json', 201, 'json'),
  leak('leak csv', 202, 'csv'),
  leak('leak ndjson', 203, 'ndjson'),
  ragged(),
  oddCsv(),
  hostileNames('hostile/names?', 303, 'json'),
  hostileNames('hostile csv', 304, 'csv'),
  repeatedKeys,
  history('fields json', 305, 'json', 8, fieldTurns),
  history('fields csv', 306, 'csv', 8, fieldTurns),
  history('emptiness', 307, 'json', 10, emptinessTurns),
  history('emptiness csv', 308, 'csv', 10, emptinessTurns),
  history('variety', 309, 'ndjson', 9, varietyTurns),
  history('variety with many rows', 310, 'json', 6, varietyTurns, { rows: 300 }),
  history('numbers', 311, 'json', 17, numberTurns.slice(0, 8)),
  history('numbers csv', 312, 'csv', 12, numberTurns.slice(8)),
  history(
    'numbers, others between',
    313,
    'ndjson',
    12,
    numberTurns.map(([name, change, options]): Turn => [name, change, { ...options, dry_run: true }]),
  ),
  history('sampled', 314, 'csv', 5, rowTurns, { rows: 1600 }),
  sizes('sizes', 315, [50, 55, 48, 52, 200, 50, 10, 51, 49, 53, 300, 50, 12, 3], 'json'),
  sizes('sizes few', 316, [8, 9, 7, 40, 8, 1, 9, 8, 30], 'csv'),
  chunks(),
  repeats(),
  beginnings,
  accepted,
  pinned,
  advised,
  blockedAdvice,
  overrides('overrides', 506, 'json'),
  overrides('overrides csv', 507, 'csv'),
  short(508, 'json'),
  short(509, 'csv'),
  history('nested', 510, 'json', 9, nestedTurns, { make: nestedRows }),
  history('nested ndjson', 511, 'ndjson', 6, nestedTurns, { make: nestedRows, rows: 120 }),
  odd,
  manyFields(),
  history('wide', 512, 'json', 8, wideTurns, { make: wideRows, rows: 40 }),
];
