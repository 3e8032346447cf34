/**
 * How long do other libraries take for the same rules on the same file, and do they find the same rows?
 *
 * A CSV of 10,000 rows of 20 fields in which each rule fails in some rows: pandera with polars, Great Expectations on pandas and DuckDB's SQL
 * (one thread each) read and check it in a Python process, we in this one, in turns. Times are those of the processor; a ratio is ours through theirs.
 * `scripts/rule-peers.sh` installs them into a virtual environment; RULE_PEERS names its interpreter.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Format } from '../assembly/abi.ts';
import { parseRules } from '../src/rules/declared/parse.ts';
import { PatternCache } from '../src/rules/declared/patterns.ts';
import { checkRules } from '../src/rules/violations/check.ts';
import { processClock } from './cpu.ts';
import { fullProfile, newEngine } from './in-process.ts';
import { payloadsOf, plainCsv, type Table } from './payloads.ts';
import { ratioOf, type Timing, timingOf } from './race.ts';
import { wideTable } from './tables.ts';

export interface PeersEffort {
  rows: number;
  rounds: number;
}

/** The engine is compiled in steps. */
const WARM_RUNS = 20;
const EFFORT: PeersEffort = { rows: 10_000, rounds: 9 };
const PEERS = ['pandera', 'great_expectations', 'duckdb'] as const;
const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
const STATUSES = ['new', 'paid', 'packed', 'sent', 'delivered', 'returned'];

/** As ours, and as the other side reads it. */
const RULES = [
  ['order_id', { nullable: false }, { check: 'not_null' }],
  ['order_id', { unique: true }, { check: 'unique' }],
  ['session_id', { unique: true }, { check: 'unique' }],
  ['session_id', { pattern: UUID }, { check: 'pattern', pattern: UUID }],
  ['quantity', { minimum: 1, maximum: 48 }, { check: 'range', low: 1, high: 48 }],
  ['latitude', { minimum: -90, maximum: 90 }, { check: 'range', low: -90, high: 90 }],
  ['status', { enum: STATUSES }, { check: 'set', values: STATUSES }],
  ['country', { pattern: '^[A-Z]{2}$' }, { check: 'pattern', pattern: '^[A-Z]{2}$' }],
  ['email', { pattern: '^[a-z.]+[0-9]+@' }, { check: 'pattern', pattern: '^[a-z.]+[0-9]+@' }],
  ['note', { max_length: 500 }, { check: 'length', most: 500 }],
] as const;
const COMPARE = [
  [
    { left: 'shipped_at', op: '>=', value: '2025-01-01' },
    { check: 'least', value: '2025-01-01' },
  ],
  [
    { left: 'quantity', op: '<=', right: 'order_id' },
    { check: 'pair', other: 'order_id' },
  ],
] as const;

/** Ours may have two rules where the others have one: these have the name of both. */
const nameOf = (field: string, constraint: object): string => `${field} ${Object.keys(constraint).join(' ')}`;

const THEIRS = [
  ...RULES.map(([field, ours, theirs]) => ({ rule: nameOf(field, ours), field, ...theirs })),
  ...COMPARE.map(([{ left }, theirs], i) => ({ rule: `compare ${i}`, field: left, ...theirs })),
];
const OURS = parseRules({
  fields: Object.fromEntries(
    Object.entries(Object.groupBy(RULES, ([field]) => field)).map(([field, all]) => [
      field,
      Object.assign({}, ...all.map(([, ours]) => ours)),
    ]),
  ),
  compare: COMPARE.map(([ours]) => ours),
});

const DAMAGES: readonly Record<string, unknown>[] = [
  { order_id: null },
  { order_id: 500_000 },
  { session_id: 'none' },
  { quantity: 0 },
  { quantity: 99 },
  { latitude: 91.5 },
  { status: 'Paid ' },
  { country: 'de' },
  { email: 'not an address' },
  { note: 'x'.repeat(501) },
  { shipped_at: '2020-01-01T00:00:00.000Z' },
  { quantity: 40, order_id: 39 },
];

const damaged: Table = (random, rows) =>
  wideTable(random, rows).map((row, i) => (i % 50 === 7 ? { ...row, ...DAMAGES[((i / 50) % 12) | 0] } : row));

type Failing = Record<string, number[]>;

export async function benchRulePeers(seed: number, effort = EFFORT) {
  const interpreter = process.env.RULE_PEERS;
  if (!interpreter) throw new Error('Run scripts/rule-peers.sh FOLDER, and set RULE_PEERS=FOLDER/bin/python');
  const folder = mkdtempSync(join(tmpdir(), 'sluice-peers-'));
  const file = join(folder, 'rows.csv');
  const [payload] = payloadsOf(seed, { ...effort, payloads: 1 }, damaged, plainCsv);
  await Bun.write(file, payload!.bytes);
  const python = Bun.spawn(
    [interpreter, join(import.meta.dir, 'rule-peers.py'), file, JSON.stringify(THEIRS)],
    {
      stdin: 'pipe',
      stderr: 'inherit',
    },
  );
  try {
    return await raced(await ourSide(file), asking(python), effort.rounds);
  } finally {
    python.kill();
    rmSync(folder, { recursive: true });
  }
}

async function raced(
  ours: () => Promise<Failing>,
  ask: (peer: string) => Promise<{ ms: number; failing: Failing }>,
  rounds: number,
) {
  const clock = processClock();
  for (let run = 0; run < WARM_RUNS; run++) await ours();
  const times: Record<string, number[]> = { ours: [], pandera: [], great_expectations: [], duckdb: [] };
  for (let round = -1; round < rounds; round++) {
    const begun = clock();
    const expected = await ours();
    const took = clock() - begun;
    if (round >= 0) times.ours!.push(took);
    for (const peer of PEERS) {
      const { ms, failing } = await ask(peer);
      // The first round warms up, and compares the rows.
      if (round >= 0) times[peer]!.push(ms);
      else if (!Bun.deepEquals(sorted(failing), sorted(expected)))
        throw new Error(`${peer} finds other rows: ${differences(failing, expected)}`);
    }
  }
  const figures = Object.fromEntries(
    Object.entries(times).map(([name, each]): [string, Timing] => [name, timingOf(each)]),
  );
  const ratios = Object.fromEntries(PEERS.map(peer => [peer, ratioOf(figures.ours!, figures[peer]!)]));
  return { rules: THEIRS.length, ratios, figures };
}

const sorted = (failing: Failing): Failing =>
  Object.fromEntries(Object.entries(failing).sort(([a], [b]) => (a < b ? -1 : 1)));

const differences = (theirs: Failing, ours: Failing): string =>
  [...new Set([...Object.keys(theirs), ...Object.keys(ours)])]
    .filter(rule => !Bun.deepEquals(theirs[rule], ours[rule]))
    .map(rule => `${rule}: ${theirs[rule]?.length} rows, not ${ours[rule]?.length}`)
    .join('; ');

/** Reads and checks the file, every row. */
async function ourSide(file: string): Promise<() => Promise<Failing>> {
  const engine = await newEngine();
  const patterns = new PatternCache();
  return async () => {
    const profile = fullProfile(engine, Format.CSV, await Bun.file(file).bytes());
    const batch = { profile, checks: engine.ruleChecks, patterns, now: 0, rowsListed: profile.rows };
    const failing: Record<string, Set<number>> = {};
    for (const { constraint, rows } of checkRules(batch, OURS).violations) {
      const { rule, field, kind } = constraint;
      const known = RULES.find(([name, ours]) => name === field && kind in ours);
      const name = kind === 'compare' ? `compare ${rule.match(/\d+/)![0]}` : nameOf(field!, known![1]);
      failing[name] = new Set([...(failing[name] ?? []), ...rows!]);
    }
    return Object.fromEntries(
      Object.entries(failing).map(([rule, rows]) => [rule, [...rows].sort((a, b) => a - b)]),
    );
  };
}

/** One line for each answer. */
function asking(python: Bun.Subprocess<'pipe', 'pipe', 'inherit'>) {
  const lines = linesOf(python.stdout);
  return async (peer: string): Promise<{ ms: number; failing: Failing }> => {
    python.stdin.write(`${peer}\n`);
    await python.stdin.flush();
    const { value, done } = await lines.next();
    if (done) throw new Error('the other libraries have failed');
    return JSON.parse(value);
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
}
