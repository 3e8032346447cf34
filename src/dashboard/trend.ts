/** The statistics of a field over the batches, as charts show them. */
import { figure, grouped, percent } from '../terms/wording.ts';
import { type Batch, type Trends, lookup } from './contract.ts';

export type Trend = Trends['statistics'][number];
export type TrendBatch = Trends['batches'][number];

export interface Alarm {
  /** Index of the batch. */
  at: number;
  severity: 'warn' | 'block';
}

export const alarmsIn = ({ alarms }: Trend): Alarm[] =>
  alarms.flatMap((severity, at) => (severity === 'warn' || severity === 'block' ? [{ at, severity }] : []));

/** Those that never changed and raised no alarm say nothing in a chart. */
export const isConstant = (trend: Trend): boolean =>
  alarmsIn(trend).length === 0 && new Set(trend.values.filter(value => value !== null)).size <= 1;

/** The newest alarm first, then the gravest; then those without one, in their own order. */
export const byAlarm = (trends: readonly Trend[]): Trend[] =>
  trends.toSorted((a, b) => newestAlarm(b) - newestAlarm(a));

function newestAlarm(trend: Trend): number {
  const newest = alarmsIn(trend).at(-1);
  return newest === undefined ? -1 : newest.at + (newest.severity === 'block' ? 0.5 : 0);
}

export function valueText(unit: string, value: number): string {
  if (unit === 'share') return percent(Math.abs(value) < 1e-12 ? 0 : value);
  if (unit === 'rows') return grouped(Math.round(value));
  const shown = figure(Number(value.toPrecision(4)));
  if (unit === 'hours') return `${shown} h`;
  return unit === 'widths' ? `${shown} ×` : shown;
}

/** `usually 0% to 9%`; null where nothing was expected. */
export function usualText({ unit, low, high }: Trend, at: number): string | null {
  const [from, to] = [low[at] ?? null, high[at] ?? null];
  const said = (value: number) => valueText(unit, value);
  if (from === null && to === null) return null;
  if (from === null) return `usually up to ${said(to!)}`;
  if (to === null) return `usually from ${said(from)}`;
  return said(from) === said(to) ? `usually ${said(from)}` : `usually ${said(from)} to ${said(to)}`;
}

/** How many times as wide as what is usual a chart may be. */
const MOST_WIDTHS = 2;

/**
 * What a chart shows of the values: what is expected and what raised no alarm, and alarms as far as they do not flatten the rest to a line. What lies
 * beyond is drawn at the edge.
 */
export function endsOf(trend: Trend): [least: number, most: number] {
  const { values, low, high, alarms } = trend;
  const known = (list: readonly (number | null)[]) => list.filter(value => value !== null);
  const calm = known([...values.filter((_, i) => alarms[i] == null), ...low, ...high]);
  const all = known(values);
  if (calm.length === 0) return [Math.min(...all), Math.max(...all)];
  const [least, most] = [Math.min(...calm), Math.max(...calm)];
  const room = (most - least) * MOST_WIDTHS;
  return [Math.max(Math.min(least, ...all), least - room), Math.min(Math.max(most, ...all), most + room)];
}

/** Index of the newest batch that has the statistic. */
export const newestOf = ({ values }: Trend): number => values.findLastIndex(value => value !== null);

/** The fields of the batches. Those with drift in the newest batches come first. */
export function fieldsIn(batches: readonly Batch[]): string[] {
  const newestFirst = batches.toReversed();
  const drifted = newestFirst.flatMap(({ drift }) => drift.map(({ field }) => field));
  const known = new Set(newestFirst.flatMap(({ null_rates }) => [...lookup(null_rates).keys()]));
  return [...new Set([...drifted.filter(field => known.has(field)), ...known])];
}
