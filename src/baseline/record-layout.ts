/** How a record stores the measurements of the last batches: by groups, so that a field with less detail has fewer. */
import { type BatchStatistics, detailedIn } from './batch-statistics.ts';
import { BRIEF_MEASUREMENTS, FULL_MEASUREMENTS, STANDARD_MEASUREMENTS } from './detail.ts';
import { type Layout, layoutOf } from './layout.ts';
import type { UnknownMeasurement } from './unknown-measurements.ts';

const GROUPS = [
  BRIEF_MEASUREMENTS,
  ...STANDARD_MEASUREMENTS,
  ...Map.groupBy(FULL_MEASUREMENTS, ({ group }) => group).values(),
];
export const RECORD_LAYOUT = layoutOf(GROUPS);

/** The unknown measurements of all last batches. They may differ: replicas of two releases have written them. */
export interface UnknownOfAll {
  /** Those that any batch has. */
  measurements: readonly UnknownMeasurement[];
  /** The batches with room for all of them: NaN where a batch lacks one. */
  batches: readonly BatchStatistics[];
}

export function unknownOfAll(recent: readonly BatchStatistics[]): UnknownOfAll {
  const measurements = new Map<string, UnknownMeasurement>();
  let width = 0;
  for (const each of recent.flatMap(batch => batch.unknown?.measurements ?? [])) {
    if (measurements.has(each.id)) continue;
    measurements.set(each.id, { ...each, place: width });
    width += each.width;
  }
  const all = [...measurements.values()];
  const batches = width === 0 ? recent : recent.map(batch => widened(batch, all, width));
  return { measurements: all, batches };
}

function widened(
  batch: BatchStatistics,
  measurements: readonly UnknownMeasurement[],
  width: number,
): BatchStatistics {
  const { unknown } = batch;
  const detailed = detailedIn(batch);
  const numbers = new Float64Array(detailed * width).fill(Number.NaN);
  for (const own of unknown?.measurements ?? []) {
    const to = measurements.find(({ id }) => id === own.id)!;
    for (let index = 0; index < detailed; index++) {
      const start = index * unknown!.width + own.place;
      numbers.set(unknown!.numbers.subarray(start, start + own.width), index * width + to.place);
    }
  }
  return { ...batch, unknown: { measurements, width, numbers } };
}

/** The layout with the unknown measurements. */
export const layoutWith = ({ measurements }: UnknownOfAll): Layout =>
  measurements.length === 0 ? RECORD_LAYOUT : layoutOf(GROUPS, measurements);
