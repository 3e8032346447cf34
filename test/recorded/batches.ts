/**
 * The histories of the recording: made from fixed seeds, so that each run posts the same bytes. Nothing here may depend on the
 * program: a batch is the text of its body and what the request says besides.
 */
import { DAMAGES } from '../../bench/accuracy/damage.ts';
import { SOURCES, type Source } from '../../bench/accuracy/sources.ts';
import { Random } from '../../bench/random.ts';
import { CRAFTED } from './crafted.ts';
import { asksForRows, type Format, type History, type Step, screened } from './steps.ts';

const FORMATS: readonly Format[] = ['json', 'ndjson', 'csv'];

/** Histories of damage: how many batches, and how many clean ones come first, so that the source has a past. */
interface Plan {
  seed: number;
  sources: number;
  cleanFirst: number;
  batches: number;
  /** Judges some of its damage without learning it. */
  isPartlyDry: boolean;
}

const PLANS: readonly Plan[] = [
  { seed: 71, sources: SOURCES.length, cleanFirst: 11, batches: 18, isPartlyDry: false },
  { seed: 72, sources: 7, cleanFirst: 6, batches: 14, isPartlyDry: true },
];

/** Made-up sources of the accuracy bench, with each kind of damage in turn. */
function damagedHistories(): History[] {
  const damages = new Random(13).shuffled(DAMAGES);
  let next = 0;
  const damaged = (plan: Plan, source: Source, i: number): History => {
    const { seed, cleanFirst, batches, isPartlyDry } = plan;
    const random = new Random(seed * 100 + i);
    const clean = source.batches(seed * 1000 + i, batches);
    const format = FORMATS[(i + seed) % FORMATS.length]!;
    const steps = clean.map((batch, at): Step => {
      const options = asksForRows(at) ? { row_verdicts: true } : {};
      if (at < cleanFirst || at % 6 === 0) return screened(`clean ${at}`, format, batch, options);
      const damage = damages[next++ % damages.length]!;
      const rows = damage.apply(batch, clean.slice(0, at), random)?.rows ?? batch;
      const dry = isPartlyDry && at % 2 === 0 ? { dry_run: true } : {};
      return screened(damage.name, format, rows, { ...options, ...dry });
    });
    return { source: `${source.name}-${seed}`, everyHours: source.everyHours, steps };
  };
  return PLANS.flatMap(plan => SOURCES.slice(0, plan.sources).map((source, i) => damaged(plan, source, i)));
}

/** New ones are added at the end: the place says when a history begins. */
export const HISTORIES: readonly History[] = [...damagedHistories(), ...CRAFTED];
