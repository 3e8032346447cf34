/** Methods that judge batches: the gate in both modes, and two simple methods that anybody could write in an afternoon. */
import type { Engine } from '../../src/engine/engine.ts';
import type { Mode } from '../../src/options/options.ts';
import type { Report } from '../../src/report-schema/report.ts';
import { Gate } from './gate.ts';
import { type Batch, isNumber, isText, ROWS } from './rows.ts';
import { mean } from './scores.ts';

export interface Judged {
  /** Higher is worse; 0 is perfect. */
  score: number;
  /** 0 PASS, 1 WARN, 2 BLOCK. */
  level: number;
  named: ReadonlySet<string>;
}

export interface Method {
  /** Learns these batches, then judges any number of others without learning them. */
  after(earlier: readonly Batch[]): (batch: Batch) => Judged;
  /** Levels of batches that are judged in order; each is learned after it was judged. */
  walk(batches: readonly Batch[]): number[];
}

const LEVELS = ['PASS', 'WARN', 'BLOCK'];

export const gateMethod = (engine: Engine, mode: Mode, everyHours: number): Method => ({
  after(earlier) {
    const gate = new Gate(engine, mode, everyHours);
    for (const batch of earlier) gate.judge(batch);
    return batch => judgedOf(gate.judge(batch, false));
  },
  walk(batches) {
    const gate = new Gate(engine, mode, everyHours);
    return batches.map(batch => LEVELS.indexOf(gate.judge(batch).status));
  },
});

const judgedOf = ({ status, health_score, issues = {}, drift = [], anomalies = [] }: Report): Judged => ({
  score: 1 - health_score,
  level: LEVELS.indexOf(status),
  named: new Set([
    ...Object.values(issues).flatMap(issue => (typeof issue === 'object' ? Object.keys(issue) : [])),
    ...drift.map(event => event.field ?? ROWS),
    ...anomalies.map(anomaly => anomaly.field),
  ]),
});

// ---- simple methods ----

/** Statistics by field and name; those of the whole batch are under ROWS. */
type Statistics = Map<string, { field: string; value: number }>;

function statisticsOf(batch: Batch): Statistics {
  const statistics: Statistics = new Map();
  const put = (field: string, name: string, value: number): void => {
    if (Number.isFinite(value)) statistics.set(JSON.stringify([field, name]), { field, value });
  };
  put(ROWS, 'count', batch.length);
  for (const field of new Set(batch.flatMap(row => Object.keys(row)))) {
    const cells = batch.map(row => row[field] ?? null);
    const there = cells.filter(cell => cell !== null);
    const [numbers, texts] = [there.filter(isNumber), there.filter(isText)];
    put(field, 'null', 1 - there.length / cells.length);
    put(field, 'numbers', numbers.length / there.length);
    put(field, 'texts', texts.length / there.length);
    put(field, 'distinct', new Set(there).size / there.length);
    put(field, 'mean', mean(numbers));
    put(field, 'deviation', deviationOf(numbers));
    put(field, 'length', mean(texts.map(text => text.length)));
  }
  return statistics;
}

function deviationOf(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map(value => (value - middle) ** 2)));
}

/** In both methods a missing or a new field is an alarm. */
const NEWS = 100;

/** Distance of a statistic from its history, scaled so that 1 is WARN and 2 is BLOCK. */
function simple(
  least: number,
  keep: number,
  distance: (now: number, past: readonly number[]) => number,
): Method {
  const judge = (before: readonly Statistics[], batch: Batch): Judged => {
    if (before.length < least) return { score: 0, level: 0, named: new Set() };
    const now = statisticsOf(batch);
    let score = 0;
    const named = new Set<string>();
    for (const key of new Set([...now.keys(), ...before.at(-1)!.keys()])) {
      const past = before.flatMap(each => each.get(key)?.value ?? []);
      const here = now.get(key);
      const far = here && past.length > 0 ? distance(here.value, past) : NEWS;
      score = Math.max(score, far);
      if (far > 1) named.add((here ?? before.at(-1)!.get(key)!).field);
    }
    return { score, level: score > 2 ? 2 : score > 1 ? 1 : 0, named };
  };
  return {
    after(earlier) {
      const before = earlier.slice(-keep).map(statisticsOf);
      return batch => judge(before, batch);
    },
    walk(batches) {
      const all = batches.map(statisticsOf);
      return batches.map((batch, i) => judge(all.slice(Math.max(0, i - keep), i), batch).level);
    },
  };
}

/** Three standard deviations of the last 32 batches from their mean. */
export const THREE_SIGMA = simple(3, 32, (now, past) => {
  const spread = deviationOf(past);
  return now === mean(past) ? 0 : Math.abs(now - mean(past)) / Math.max(3 * spread, 1e-9);
});

/** Twice or half of the last batch's value. */
export const LAST_BATCH = simple(1, 1, (now, [last]) => {
  if (now === last) return 0;
  return Math.min(NEWS, Math.abs(Math.log2(Math.abs(now) / Math.abs(last!))) || NEWS);
});
