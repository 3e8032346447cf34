/**
 * How well do verdicts separate good batches from bad ones?
 *
 * Simulated sources, whose batches vary by more than chance, and damage to single batches of them. At some positions of a
 * source, a gate that has seen the batches before judges the next batch and damaged copies of it; at others only the clean
 * batch. A walk sends all batches of a source in order, as a client would. Simple methods judge the same batches. Held-out
 * sources, on which no decision was based, are reported separately.
 */
import type { Engine } from '../src/engine/engine.ts';
import { DAMAGES, type Damage } from './accuracy/damage.ts';
import { type Accuracy, accuracyOf, isAlarm, type Scored, shareOf } from './accuracy/scores.ts';
import { gateMethod, LAST_BATCH, type Method, THREE_SIGMA } from './accuracy/methods.ts';
import { type Batch, ROWS } from './accuracy/rows.ts';
import { SOURCES, type Source } from './accuracy/sources.ts';
import { newEngine } from './in-process.ts';
import { rounded } from './race.ts';
import { Random } from './random.ts';

export interface AccuracyEffort {
  /** Batches that a gate has seen before it judges. */
  history: number;
  /** Positions of a source with damaged copies, and with the clean batch only. */
  positions: number;
  cleanPositions: number;
  /** Batches of a source: a walk's length. */
  batches: number;
  sources: readonly Source[];
  damages: readonly Damage[];
}

export const ACCURACY_EFFORT: AccuracyEffort = {
  history: 14,
  positions: 8,
  cleanPositions: 40,
  batches: 100,
  sources: SOURCES,
  damages: DAMAGES,
};

/** WARN and BLOCK per hundred batches of a walk, from the fourth batch on. */
interface Walked {
  batches: number;
  warn: number;
  block: number;
}

interface Figures extends Accuracy {
  walk: Walked;
}

export interface AccuracyResult {
  history: number;
  probes: number;
  /** By method: development sources and held-out sources. */
  looked_at: Record<string, Figures>;
  left_out: Record<string, Figures>;
  /** The adaptive gate, by source. */
  sources: Record<string, Pick<Accuracy, 'auc' | 'recall' | 'clean_warn'>>;
  /** The adaptive gate, by kind of damage: the share that is WARN or worse. */
  recall: Record<string, number>;
}

const METHODS: readonly [string, (engine: Engine, source: Source) => Method][] = [
  ['adaptive', (engine, { everyHours }) => gateMethod(engine, 'adaptive', everyHours)],
  ['contract', (engine, { everyHours }) => gateMethod(engine, 'contract', everyHours)],
  ['three_sigma', () => THREE_SIGMA],
  ['last_batch', () => LAST_BATCH],
];

export async function benchAccuracy(seed: number, effort = ACCURACY_EFFORT): Promise<AccuracyResult> {
  const engine = await newEngine();
  const scored = new Map<string, Scored[]>(METHODS.map(([name]) => [name, []]));
  const walks = new Map<string, Walk[]>(METHODS.map(([name]) => [name, []]));
  for (const source of effort.sources) {
    const batches = source.batches(seed, effort.batches);
    const probes = probesOf(batches, source, seed, effort);
    for (const [name, of] of METHODS) {
      const method = of(engine, source);
      scored.get(name)!.push(...probes.flatMap(probe => scoresOf(probe, method)));
      walks.get(name)!.push({ source: source.name, levels: walked(batches, method) });
    }
  }
  const ours = scored.get('adaptive')!;
  const figures = (heldOut: boolean): Record<string, Figures> => {
    const names = new Set(effort.sources.filter(each => each.heldOut === heldOut).map(({ name }) => name));
    const entries = METHODS.map(([name]) => [
      name,
      {
        ...roundedAll(accuracyOf(scored.get(name)!.filter(each => names.has(each.source)))),
        walk: walkOf(walks.get(name)!.filter(each => names.has(each.source))),
      },
    ]);
    return names.size === 0 ? {} : Object.fromEntries(entries);
  };
  return {
    history: effort.history,
    probes: ours.length,
    looked_at: figures(false),
    left_out: figures(true),
    sources: Object.fromEntries(effort.sources.map(({ name }) => [name, bySource(ours, name)])),
    recall: Object.fromEntries(effort.damages.map(({ name }) => [name, recallOf(ours, name)])),
  };
}

// ---- probes ----

/** One position of a source: the batches before, and those to judge. */
interface Probe {
  source: string;
  earlier: readonly Batch[];
  asked: { rows: Batch; damage: string | null; touched: readonly string[] }[];
}

function probesOf(batches: readonly Batch[], source: Source, seed: number, effort: AccuracyEffort): Probe[] {
  const { history, positions, cleanPositions, damages } = effort;
  const places = (count: number): number[] =>
    Array.from(
      { length: count },
      (_, i) => history + Math.floor(((i + 0.5) * (batches.length - history)) / count),
    );
  const probe = (at: number, kinds: readonly Damage[]): Probe => {
    const earlier = batches.slice(at - history, at);
    const asked: Probe['asked'] = [{ rows: batches[at]!, damage: null, touched: [] }];
    for (const kind of kinds) {
      const damaged = kind.apply(
        batches[at]!,
        earlier,
        new Random(seed ^ hashOf(`${source.name} ${at} ${kind.name}`)),
      );
      if (damaged) asked.push({ rows: damaged.rows, damage: kind.name, touched: damaged.touched });
    }
    return { source: source.name, earlier, asked };
  };
  return [
    ...places(positions).map(at => probe(at, damages)),
    ...places(cleanPositions).map(at => probe(at, [])),
  ];
}

/** FNV-1a (Fowler, Noll, Vo 1991). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

function scoresOf({ source, earlier, asked }: Probe, method: Method): Scored[] {
  const judge = method.after(earlier);
  return asked.map(({ rows, damage, touched }) => {
    const { score, level, named } = judge(rows);
    const isNamed = damage === null || touched.includes(ROWS) ? null : touched.some(name => named.has(name));
    return { source, damage, score, level, named: isNamed };
  });
}

// ---- walks ----

interface Walk {
  source: string;
  levels: number[];
}

/** With fewer batches there is no history. */
const LEARNING = 3;

const walked = (batches: readonly Batch[], method: Method): number[] => method.walk(batches).slice(LEARNING);

function walkOf(walks: readonly Walk[]): Walked {
  const levels = walks.flatMap(walk => walk.levels);
  const inHundred = (least: number): number =>
    rounded((100 * levels.filter(level => level >= least).length) / levels.length);
  return { batches: levels.length, warn: inHundred(1), block: inHundred(2) };
}

// ---- figures ----

const roundedAll = (accuracy: Accuracy): Accuracy =>
  Object.fromEntries(
    Object.entries(accuracy).map(([name, value]) => [name, rounded(value)]),
  ) as unknown as Accuracy;

function bySource(all: readonly Scored[], source: string): Pick<Accuracy, 'auc' | 'recall' | 'clean_warn'> {
  const { auc, recall, clean_warn } = roundedAll(accuracyOf(all.filter(each => each.source === source)));
  return { auc, recall, clean_warn };
}

const recallOf = (all: readonly Scored[], damage: string): number =>
  rounded(
    shareOf(
      all.filter(each => each.damage === damage),
      isAlarm,
    ),
  );
