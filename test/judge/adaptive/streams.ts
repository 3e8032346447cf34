/** Made-up sources: batches of rows of many kinds of fields, from a seed, through the real engine and baseline. */
import { MAX_ROWS } from '../../../assembly/abi.ts';
import type { Baseline } from '../../../src/baseline/baseline.ts';
import { freshValues } from '../../../src/baseline/fresh.ts';
import { mergeState } from '../../../src/baseline/merge.ts';
import { baselineOf } from '../../../src/baseline/merged.ts';
import { EMPTY_RECORD } from '../../../src/baseline/record.ts';
import { stateOf } from '../../../src/baseline/state.ts';
import { statisticsOf } from '../../../src/baseline/statistics.ts';
import { judgeAdaptively } from '../../../src/judge/adaptive/judge.ts';
import { parseOptions } from '../../../src/judge/options.ts';
import type { Judgement } from '../../../src/judge/report.ts';
import { newEngine, screenBytes } from '../../engine/screen-bytes.ts';

export type Row = Record<string, unknown>;

export interface Random {
  unit(): number;
  normal(): number;
  below(count: number): number;
}

/** mulberry32 (Ettinger 2017), and Box and Muller's (1958) normal numbers. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    unit,
    normal: () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit()),
    below: count => Math.floor(unit() * count),
  };
}

const CITIES = Array.from({ length: 120 }, (_, i) => `City ${String.fromCharCode(65 + (i % 26))}${i}`);
const STATES = ['open', 'paid', 'sent', 'back'];

/** A shop whose days differ by more than chance: numbers of orders, prices and shares wander. */
export function shopDay(seed: number, day: number): Row[] {
  const random = randomOf(seed * 1000 + day);
  const size = Math.round(80 * Math.exp(0.3 * random.normal()));
  const mood = 0.15 * random.normal();
  const missing = 0.3 + 0.1 * random.unit();
  return Array.from({ length: Math.max(20, size) }, (_, i) => ({
    id: day * 10_000 + i,
    code: `AB-${String(random.below(10_000)).padStart(4, '0')}`,
    price: Math.round(100 * Math.exp(3 + mood + 0.8 * random.normal())) / 100,
    quantity: 1 + Math.floor(-Math.log(1 - random.unit())),
    rating: random.unit() < 0.3 ? 1 : 2,
    city: CITIES[Math.floor(120 * random.unit() ** 2)],
    state: STATES[random.below(4)],
    gift: random.unit() < 0.2,
    note: random.unit() < missing ? null : `call ${random.below(100)} times`,
    date: `2026-${String(1 + random.below(12)).padStart(2, '0')}-${String(1 + random.below(28)).padStart(2, '0')}`,
  }));
}

const engine = newEngine(8 * 1024 * 1024);
const encoder = new TextEncoder();

/** A source in adaptive mode that learns what is not BLOCK. */
export class Source {
  #record = EMPTY_RECORD;
  #batches = 0;

  get baseline(): Baseline | null {
    return this.#batches === 0 ? null : baselineOf({ record: this.#record, provisional: false });
  }

  /** `learn`: whether the batch joins the history whatever the verdict, or not at all. */
  judge(rows: readonly Row[], learn = true, options: object = {}): Judgement {
    const { profile } = screenBytes(engine, encoder.encode(JSON.stringify({ source: 's', rows })), {
      sampleRows: MAX_ROWS,
    });
    const baseline = this.baseline;
    const fresh = freshValues(profile!, engine.look, baseline);
    const facts = {
      id: `b${String(this.#batches).padStart(5, '0')}`,
      at: Date.UTC(2026, 0, 1 + this.#batches, 6),
      chunk: false,
      provisional: false,
      verdict: 'PASS' as const,
      health: 1,
    };
    const state = stateOf(profile!, facts, baseline, fresh);
    const judgement = judgeAdaptively(
      profile!,
      engine.look,
      baseline,
      parseOptions({ mode: 'adaptive', ...options }),
      statisticsOf(state, baseline?.recent.at(-1)?.places),
    );
    if (learn) {
      this.#record = mergeState(this.#record, state);
      this.#batches++;
    }
    return judgement;
  }
}
