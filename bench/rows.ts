/**
 * What does it cost to name rows?
 *
 * In process and warm, 10,000 rows of 20 fields, every value measured, judged without a baseline: a batch without findings, and one in which
 * five fields have a value of another type in every tenth row, as JSON and as CSV (whose lines have to be counted). A ratio is the time of
 * screen, judgement and rows through that of screen and judgement alone.
 */
import { Format } from '../assembly/abi.ts';
import type { Engine } from '../src/engine/engine.ts';
import { stateOf } from '../src/baseline/state-of-batch.ts';
import { type Assessment, assess } from '../src/judge/assess.ts';
import { parseOptions, type ScreenOptions } from '../src/options/options.ts';
import type { RowQueries } from '../src/engine/queries.ts';
import { RULES } from '../src/rules/rules.ts';
import { type Figure, figuresOf } from './figures.ts';
import { fullProfile, newEngine } from './in-process.ts';
import { NO_ROWS } from './no-rows.ts';
import { fullScan, type Payload, payloadsOf, plainCsv, type Table } from './payloads.ts';
import { ratioOf } from './race.ts';
import { wideTable } from './tables.ts';

export interface RowsEffort {
  rows: number;
  payloads: number;
  budgetMs: number;
  rounds: number;
  warmRounds: number;
}

export const ROWS_EFFORT: RowsEffort = {
  rows: 10_000,
  payloads: 3,
  budgetMs: 6000,
  rounds: 100,
  warmRounds: 5,
};

export interface RowsResult {
  ratios: Record<string, { rows: number; row_verdicts: number }>;
  figures: Record<string, Record<string, Figure>>;
}

const EVERY = 10;
const FIELDS = 5;

/** The wide table with a value of another type in every tenth row of its last fields. */
const damagedTable: Table = (random, rows) =>
  wideTable(random, rows).map((row, i) => {
    if (i % EVERY !== 0) return row;
    const names = Object.keys(row).slice(-FIELDS);
    return { ...row, ...Object.fromEntries(names.map(name => [name, oddOne(row[name])])) };
  });

const oddOne = (value: unknown): unknown => (typeof value === 'number' ? 'broken' : 12);

export async function benchRows(seed: number, effort = ROWS_EFFORT): Promise<RowsResult> {
  const engine = await newEngine();
  const result: RowsResult = { ratios: {}, figures: {} };
  for (const [format, write] of [
    [Format.JSON, fullScan()],
    [Format.CSV, plainCsv],
  ] as const) {
    for (const [name, table] of Object.entries({ clean: wideTable, damaged: damagedTable })) {
      const payloads = payloadsOf(seed, effort, table, write);
      const figures = await figuresOf(contestants(engine, format, name === 'damaged'), payloads, effort);
      const key = `${name}_${Format[format].toLowerCase()}`;
      result.figures[key] = figures;
      result.ratios[key] = {
        rows: ratioOf(figures.rows, figures.judged),
        row_verdicts: ratioOf(figures.row_verdicts, figures.judged),
      };
    }
  }
  return result;
}

const PLAIN = parseOptions({});
const VERDICTS = parseOptions({ row_verdicts: true });

const FACTS = { id: 'b', at: 0, chunk: false, provisional: false, verdict: 'PASS', health: 1 } as const;

/** Throws when a damaged batch has no rows to name. */
function contestants(engine: Engine, format: Format, isDamaged: boolean) {
  const judged = ({ bytes }: Payload, options: ScreenOptions, rowQueries: RowQueries): Assessment => {
    const profile = fullProfile(engine, format, bytes);
    const state = stateOf(profile, FACTS, null, new Map());
    const batch = { profile, queries: engine.queries, rowQueries, state };
    return assess(batch, { baseline: null, history: null }, RULES, options);
  };
  const named = (payload: Payload, options: ScreenOptions): Assessment => {
    const assessment = judged(payload, options, engine.rowQueries);
    if (isDamaged && !assessment.rowNumbers) throw new Error('no row was named');
    return assessment;
  };
  return {
    judged: (payload: Payload) => judged(payload, PLAIN, NO_ROWS),
    rows: (payload: Payload) => named(payload, PLAIN),
    row_verdicts: (payload: Payload) => named(payload, VERDICTS),
  };
}
