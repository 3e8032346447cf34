/** A chart by uPlot, as wide as its place, drawn anew when the colours or the data change. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { colour, useScheme } from '../use-scheme.ts';

export type Drawing = Omit<uPlot.Options, 'width' | 'height'>;

interface Props {
  /** What a screen reader says of it. */
  label: string;
  height: number;
  data: uPlot.AlignedData;
  /** Called when it is drawn, for the colours of that time. */
  drawing: () => Drawing;
  /** The place in the data that the mouse is at; null when it is nowhere. */
  hover?: (index: number | null) => void;
  pick?: (index: number) => void;
}

export function Plot({ label, height, data, drawing, hover, pick }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useScheme();
  useLayoutEffect(() => {
    const holder = place.current!;
    const { hooks, ...rest } = drawing();
    const moved = (plot: uPlot) => hover?.(plot.cursor.idx ?? null);
    const options = { ...rest, width: holder.clientWidth, height, hooks: { ...hooks, setCursor: [moved] } };
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

/** An axis in the page's colours. */
export const axis = (more: uPlot.Axis = {}): uPlot.Axis => ({
  stroke: colour('--ink-3'),
  font: `11px ${colour('--font')}`,
  grid: { stroke: colour('--line'), width: 1 },
  ticks: { show: false },
  ...more,
});

/** Room for a two-line time below, and for figures on the left. */
export const timeAxis = (): uPlot.Axis => axis({ grid: { show: false }, size: 40, values: timeFormats });

const timeFormats: uPlot.Axis.Values = [
  [3600 * 24 * 28, '{MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [3600 * 24, '{D} {MMM}', '\n{YYYY}', null, null, null, null, null, 1],
  [3600, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [60, '{HH}:{mm}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{D} {MMM}', null, '\n{D} {MMM}', null, null, null, 1],
  [0.001, ':{ss}.{fff}', '\n{D} {MMM} {HH}:{mm}', null, '\n{D} {MMM} {HH}:{mm}', null, null, null, 1],
];
