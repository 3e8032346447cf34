/** Made-up sources: batches of rows of many kinds of fields, from a seed, through the real engine and baseline. */
import { Gate } from '../../../bench/accuracy/gate.ts';
import { ENGINE } from '../../engine/screen-bytes.ts';

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

/** A source in adaptive mode, a batch a day. */
export class Source extends Gate {
  constructor() {
    super(ENGINE, 'adaptive');
  }
}
