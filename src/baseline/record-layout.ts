/** Which measurements of the last batches a record stores, and how. */
import type { Group } from '../statistics/measurement.ts';
import type { BatchStatistics } from './batch-statistics.ts';
import { type Layout, layoutOf } from './layout.ts';
import type { UnknownMeasurement } from './unknown-measurements.ts';

/** Measurements that a record always keeps: their size is charged to the field. */
export const CHARGED_GROUPS: readonly Group[] = ['rows', 'numbers'];
export const CHARGED = layoutOf(CHARGED_GROUPS);

/** Measurements that a record keeps if there is room. */
const OPTIONAL_GROUPS: readonly Group[] = ['cells', 'history', 'texts'];
export const OPTIONAL = layoutOf(OPTIONAL_GROUPS);

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
  const { unknown, places } = batch;
  const numbers = new Float64Array(places.size * width).fill(Number.NaN);
  for (const own of unknown?.measurements ?? []) {
    const to = measurements.find(({ id }) => id === own.id)!;
    for (let index = 0; index < places.size; index++) {
      const start = index * unknown!.width + own.place;
      numbers.set(unknown!.numbers.subarray(start, start + own.width), index * width + to.place);
    }
  }
  return { ...batch, unknown: { measurements, width, numbers } };
}

/** The layout of the optional measurements and the unknown ones. */
export const optionalWith = ({ measurements }: UnknownOfAll): Layout =>
  measurements.length === 0 ? OPTIONAL : layoutOf(OPTIONAL_GROUPS, measurements);
