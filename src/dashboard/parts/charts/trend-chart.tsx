/** One statistic over time: a line, the band of what was expected, and a mark for each alarm. */
import { useMemo, useState } from 'preact/hooks';
import type uPlot from 'uplot';
import {
  alarmsIn,
  endsOf,
  newestOf,
  type Trend,
  type TrendBatch,
  usualText,
  valueText,
} from '../../trend.ts';
import { go } from '../../use-route.ts';
import { colour } from '../../use-scheme.ts';
import { dateTime } from '../../times.ts';
import { plural } from '../../../terms/wording.ts';
import { axis, dot, type Drawing, Plot, timeAxis, withMargin } from './plot.tsx';

const HEIGHT = 150;
const AXIS_WIDTH = 58;

interface Props {
  trend: Trend;
  batches: readonly TrendBatch[];
}

export function TrendChart({ trend, batches }: Props) {
  const [hovered, setHovered] = useState<number | null>(null);
  const data = useMemo(() => dataOf(trend, batches), [trend, batches]);
  const at = hovered !== null && trend.values[hovered] != null ? hovered : newestOf(trend);
  const usual = usualText(trend, at);
  const severity = trend.alarms[at];
  return (
    <figure class="trend">
      <figcaption>
        <span class="trend-name">{trend.label}</span>
        <span class="trend-value">
          {severity && <span class={`level ${severity}`}>{severity === 'block' ? 'BLOCK' : 'WARN'}</span>}{' '}
          <b>{valueText(trend.unit, trend.values[at]!)}</b>
          {usual && <>, {usual}</>}
          <span class="faint"> · {dateTime(batches[at]!.created_at)}</span>
        </span>
      </figcaption>
      <Plot
        label={described(trend, batches)}
        height={HEIGHT}
        data={data}
        drawing={() => drawing(trend)}
        hover={setHovered}
        pick={index => go({ page: 'job', id: batches[index]!.job_id })}
      />
    </figure>
  );
}

function described(trend: Trend, batches: readonly TrendBatch[]): string {
  const at = newestOf(trend);
  const usual = usualText(trend, at);
  const alarms = plural(alarmsIn(trend).length, 'alarm');
  const newest = `newest ${valueText(trend.unit, trend.values[at]!)}${usual === null ? '' : `, ${usual}`}`;
  return `${trend.label} in ${plural(batches.length, 'batch', 'batches')}: ${newest}; ${alarms}`;
}

/** Where only one bound is known, the band ends at the edge of what the chart shows. */
function dataOf(trend: Trend, batches: readonly TrendBatch[]): uPlot.AlignedData {
  const { values, low, high } = trend;
  const [least, most] = endsOf(trend);
  const isBand = (i: number) => (low[i] ?? high[i] ?? null) !== null;
  return [
    batches.map(({ created_at }) => Date.parse(created_at) / 1000),
    low.map((bound, i) => (isBand(i) ? (bound ?? least) : null)),
    high.map((bound, i) => (isBand(i) ? (bound ?? most) : null)),
    values,
  ];
}

function drawing(trend: Trend): Drawing {
  const { unit } = trend;
  const ends = endsOf(trend);
  const bound = { stroke: 'transparent', width: 0, points: { show: false }, spanGaps: true };
  return {
    cursor: { sync: { key: 'trends', setSeries: false }, points: { size: 7 } },
    padding: [10, 16, 0, 0],
    scales: { x: { time: true, range: withMargin }, y: { range: () => widened(...ends) } },
    axes: [
      timeAxis(),
      axis({ size: AXIS_WIDTH, space: 34, values: (_, ticks) => ticks.map(tick => valueText(unit, tick)) }),
    ],
    series: [
      {},
      bound,
      bound,
      {
        stroke: colour('--accent'),
        width: 1.5,
        spanGaps: true,
        points: { show: true, size: 4, width: 0, fill: colour('--accent') },
      },
    ],
    bands: [{ series: [2, 1], fill: `${colour('--accent-fill')}38` }],
    hooks: { draw: [plot => drawAlarms(plot, trend)] },
  };
}

const MARGIN = 0.08;

function widened(least: number, most: number): [number, number] {
  const margin = (most - least) * MARGIN || Math.abs(most) * MARGIN || 0.01;
  return [least - margin, most + margin];
}

const RADIUS = 4.5;

function drawAlarms(plot: uPlot, trend: Trend): void {
  const { min, max } = plot.scales.y!;
  for (const { at, severity } of alarmsIn(trend)) {
    const value = trend.values[at];
    if (value == null) continue;
    const x = plot.valToPos(plot.data[0][at]!, 'x', true);
    const y = plot.valToPos(Math.min(max!, Math.max(min!, value)), 'y', true);
    dot(plot, x, y, RADIUS, colour(`--${severity}-fill`));
  }
}
