/** A uPlot chart as wide as its container, redrawn when colours or data change. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { colour, useScheme } from '../../use-scheme.ts';

/** No chart has a legend, can be zoomed, or has a horizontal line at the cursor. */
export type Drawing = Omit<uPlot.Options, 'width' | 'height' | 'legend'>;

interface Props {
  /** For screen readers. */
  label: string;
  height: number;
  data: uPlot.AlignedData;
  /** Called for each drawing, to use the current colours. */
  drawing: () => Drawing;
  /** Called with the index under the mouse; null if there is none. */
  hover?: (index: number | null) => void;
  pick?: (index: number) => void;
}

export function Plot({ label, height, data, drawing, hover, pick }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useScheme();
  useLayoutEffect(() => {
    const holder = place.current!;
    const { hooks, cursor, ...rest } = drawing();
    const moved = (plot: uPlot) => hover?.(plot.cursor.idx ?? null);
    const options = {
      ...rest,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, ...cursor },
      width: holder.clientWidth,
      height,
      hooks: { ...hooks, setCursor: [moved] },
    };
    const plot = new uPlot(options, data, holder);
    const clicked = () => plot.cursor.idx != null && pick?.(plot.cursor.idx);
    plot.over.addEventListener('click', clicked);
    const watcher = new ResizeObserver(() => plot.setSize({ width: holder.clientWidth, height }));
    watcher.observe(holder);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [data, scheme]);
  return <div ref={place} class={pick ? 'plot picks' : 'plot'} role="img" aria-label={label} />;
}

/** An axis in the colours of the page. */
export const axis = (more: uPlot.Axis = {}): uPlot.Axis => ({
  stroke: colour('--ink-3'),
  font: `11px ${colour('--font')}`,
  grid: { stroke: colour('--line'), width: 1 },
  ticks: { show: false },
  ...more,
});

/** An axis with two lines of date and time. */
export const timeAxis = (): uPlot.Axis => axis({ grid: { show: false }, size: 40, values: timeFormats });

const timeFormats: uPlot.Axis.Values = [
  [3600 * 24 * 28, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [3600 * 24, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [3600, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [0.001, ':{ss}.{fff}', '\n{D} {MMM} {HH}:{mm}', null, '\n{D} {MMM} {HH}:{mm}', null, null, null, 1],
];

/** A round mark. The place is in pixels of the canvas, `radius` in those of the page. */
export function dot({ ctx }: uPlot, x: number, y: number, radius: number, fill: string): void {
  ctx.beginPath();
  ctx.arc(x, y, radius * devicePixelRatio, 0, 2 * Math.PI);
  ctx.fillStyle = fill;
  ctx.fill();
}

const MIN_MARGIN_SECONDS = 60;
const MARGIN_SHARE = 0.03;

/** Adds a margin before the first and after the last time. A single one gets two minutes. */
export function withMargin(_: uPlot, first: number, last: number): [number, number] {
  const margin = first === last ? MIN_MARGIN_SECONDS : (last - first) * MARGIN_SHARE;
  return [first - margin, last + margin];
}
