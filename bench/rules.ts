/**
 * What do declared rules cost?
 *
 * In process and warm, 10,000 rows of 20 fields, every value measured, judged without a baseline: without rules, with 20 rules of all sorts that
 * hold, and with the pattern `(a+)+$` or a harmless one over a column of long texts, as JSON and as CSV. A ratio is the time of screen, rules and
 * judgement through that of screen and judgement alone; `explosive` is the time of that pattern through that of the harmless one. Times are those of
 * the processor, so that a loaded machine changes little.
 */
import { Format } from '../assembly/abi.ts';
import { stateOf } from '../src/baseline/state-of-batch.ts';
import type { Engine } from '../src/engine/engine.ts';
import { type Assessment, assess } from '../src/judge/assess.ts';
import { parseOptions } from '../src/options/options.ts';
import { ROWS_LISTED } from '../src/terms/policy.ts';
import { parseRules } from '../src/rules/declared/parse.ts';
import { PatternCache } from '../src/rules/declared/patterns.ts';
import { RULES } from '../src/rules/rules.ts';
import { checkRules } from '../src/rules/violations/check.ts';
import type { Violation } from '../src/rules/violations/violation.ts';
import { threadClock } from './cpu.ts';
import { type Figure, figuresOf } from './figures.ts';
import { fullProfile, newEngine } from './in-process.ts';
import { fullScan, type Payload, payloadsOf, plainCsv, type Table } from './payloads.ts';
import { ratioOf } from './race.ts';
import type { RowsEffort } from './rows.ts';
import { wideTable } from './tables.ts';

export const RULES_EFFORT: RowsEffort = {
  rows: 10_000,
  payloads: 3,
  budgetMs: 8000,
  rounds: 100,
  warmRounds: 5,
};

export interface RulesResult {
  ratios: Record<string, number>;
  figures: Record<string, Record<string, Figure>>;
}

const STATUSES = ['new', 'paid', 'packed', 'sent', 'delivered', 'returned'];

/** 20 rules: nulls, ranges, enumerations, lengths, two that are unique, two patterns, two comparisons, a date. */
const TWENTY = {
  fields: {
    order_id: { nullable: false, unique: true, minimum: 1 },
    session_id: { unique: true, format: 'uuid' },
    placed_at: { format: 'date-time' },
    quantity: { type: 'integer', minimum: 1, maximum: 48 },
    total: { exclusive_minimum: 0 },
    status: { enum: STATUSES },
    country: { pattern: '^[A-Z]{2}$', max_length: 2 },
    email: { pattern: '^[a-z.]+[0-9]+@example\\.org$', min_length: 5 },
    note: { max_length: 500 },
    latitude: { minimum: -90, maximum: 90 },
    customer_name: { max_null_rate: 0.2 },
  },
  compare: [
    { left: 'shipped_at', op: '>=', value: '2025-01-01' },
    { left: 'quantity', op: '<=', right: 'order_id' },
  ],
};

const longTexts: Table = (_, rows) =>
  Array.from({ length: rows }, (_, row) => ({ text: `${'a'.repeat(400)}${row}!` }));

const oneRule = (pattern: string) => ({ fields: { text: { pattern } } });

export async function benchRules(seed: number, effort = RULES_EFFORT): Promise<RulesResult> {
  const engine = await newEngine();
  const timed = { ...effort, clock: threadClock() };
  const result: RulesResult = { ratios: {}, figures: {} };
  for (const [format, write] of [
    [Format.JSON, fullScan()],
    [Format.CSV, plainCsv],
  ] as const) {
    const screened = screening(engine, format);
    const wide = await figuresOf(
      { judged: screened(null), twenty_rules: screened(TWENTY, 0) },
      payloadsOf(seed, effort, wideTable, write),
      timed,
    );
    const long = await figuresOf(
      { harmless: screened(oneRule('b+$')), explosive: screened(oneRule('(a+)+$')) },
      payloadsOf(seed, effort, longTexts, write),
      timed,
    );
    const key = Format[format].toLowerCase();
    result.figures[`wide_${key}`] = wide;
    result.figures[`long_${key}`] = long;
    result.ratios[`twenty_rules_${key}`] = ratioOf(wide.twenty_rules, wide.judged);
    result.ratios[`explosive_${key}`] = ratioOf(long.explosive, long.harmless);
  }
  return result;
}

const OPTIONS = parseOptions({});
const FACTS = { id: 'b', at: 0, chunk: false, provisional: false, verdict: 'PASS', health: 1 } as const;

/** Throws where other than `expected` rules are violated. */
function screening(engine: Engine, format: Format) {
  const patterns = new PatternCache();
  return (document: object | null, expected = 1) => {
    const rules = document && parseRules(document);
    return ({ bytes }: Payload): Assessment => {
      const profile = fullProfile(engine, format, bytes);
      const checked = { profile, checks: engine.ruleChecks, patterns, now: 0, rowsListed: ROWS_LISTED };
      const violations: Violation[] = rules ? checkRules(checked, rules).violations : [];
      if (rules && violations.length !== expected)
        throw new Error(`${violations.map(({ constraint }) => constraint.rule)}`);
      const state = stateOf(profile, FACTS, null, new Map());
      const batch = { profile, queries: engine.queries, rowQueries: engine.rowQueries, state, violations };
      return assess(batch, { baseline: null, history: null }, RULES, OPTIONS);
    };
  };
}
