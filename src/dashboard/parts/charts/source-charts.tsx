/** A source over time: health with marks for drift, and row counts, with one cursor. */
import { useMemo, useState } from 'preact/hooks';
import uPlot from 'uplot';
import type { Batch } from '../../contract.ts';
import { go } from '../../use-route.ts';
import { colour } from '../../use-scheme.ts';
import { compact, grouped, plural } from '../../../terms/wording.ts';
import { dateTime } from '../../times.ts';
import { axis, dot, type Drawing, Plot, timeAxis, withMargin } from './plot.tsx';
import { VerdictBadge } from '../values/verdict.tsx';

const CURSOR = { sync: { key: 'source', setSeries: false }, points: { size: 9 } };
const AXIS_WIDTH = 44;

/** `batches` oldest first. */
export function SourceCharts({ batches }: { batches: readonly Batch[] }) {
  const [at, setAt] = useState<number | null>(null);
  const { health, rows } = useMemo(() => dataOf(batches), [batches]);
  const shown = batches[at ?? batches.length - 1]!;
  const open = (index: number) => go({ page: 'job', id: batches[index]!.job_id });
  return (
    <>
      <p class="readout">
        <span>{dateTime(shown.created_at)}</span>
        <VerdictBadge verdict={shown.status} />
        <span>
          Health <b>{(shown.health_score * 100).toFixed(1)}</b>
        </span>
        <span>
          Rows <b>{grouped(shown.rows_received)}</b>
        </span>
        <span>{plural(shown.drift_count, 'drift event')}</span>
      </p>
      <h3>Health</h3>
      <Plot
        label={`Health of ${plural(batches.length, 'batch', 'batches')}: ${described(batches)}`}
        height={190}
        data={health}
        drawing={() => healthDrawing(batches)}
        hover={setAt}
        pick={open}
      />
      <h3>Rows</h3>
      <Plot
        label={`Rows in ${plural(batches.length, 'batch', 'batches')}`}
        height={130}
        data={rows}
        drawing={rowsDrawing}
        hover={setAt}
        pick={open}
      />
    </>
  );
}

function described(batches: readonly Batch[]): string {
  const scores = batches.map(batch => batch.health_score * 100);
  const drifted = batches.filter(batch => batch.drift_count > 0).length;
  return `lowest ${Math.min(...scores).toFixed(1)}, newest ${scores.at(-1)!.toFixed(1)}; ${grouped(drifted)} with drift`;
}

function dataOf(batches: readonly Batch[]): { health: uPlot.AlignedData; rows: uPlot.AlignedData } {
  const times = batches.map(({ created_at }) => Date.parse(created_at) / 1000);
  return {
    health: [times, batches.map(({ health_score }) => health_score * 100)],
    rows: [times, batches.map(({ rows_received }) => rows_received)],
  };
}

function healthDrawing(batches: readonly Batch[]): Drawing {
  return {
    cursor: CURSOR,
    padding: [18, 24, 0, 0],
    scales: { x: { time: true, range: withMargin }, y: { range: [0, 100] } },
    axes: [timeAxis(), axis({ size: AXIS_WIDTH, splits: () => [0, 50, 80, 100] })],
    series: [{}, { stroke: colour('--accent'), width: 1.5, points: { show: false } }],
    hooks: { draw: [plot => drawVerdicts(plot, batches), plot => drawDrift(plot, batches)] },
  };
}

function rowsDrawing(): Drawing {
  const bars = uPlot.paths.bars!({ size: [0.6, 14, 2] });
  return {
    cursor: CURSOR,
    padding: [8, 24, 0, 0],
    scales: {
      x: { time: true, range: withMargin },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [timeAxis(), axis({ size: AXIS_WIDTH, values: (_, ticks) => ticks.map(compact) })],
    series: [{}, { fill: colour('--accent-fill'), width: 0, paths: bars, points: { show: false } }],
  };
}

const RADIUS = 3.5;

function drawVerdicts(plot: uPlot, batches: readonly Batch[]): void {
  const colours = { PASS: colour('--pass-fill'), WARN: colour('--warn-fill'), BLOCK: colour('--block-fill') };
  batches.forEach(({ status }, i) => {
    const { x, y } = placeOf(plot, i);
    dot(plot, x, y, RADIUS, colours[status]);
  });
}

/** A mark above each batch that drifted. */
function drawDrift(plot: uPlot, batches: readonly Batch[]): void {
  const { ctx } = plot;
  const size = 4 * devicePixelRatio;
  const top = plot.bbox.top - 4 * devicePixelRatio;
  batches.forEach(({ drift }, i) => {
    if (drift.length === 0) return;
    const { x } = placeOf(plot, i);
    const isBlock = drift.some(({ severity }) => severity === 'block');
    ctx.fillStyle = colour(isBlock ? '--block-fill' : '--warn-fill');
    ctx.beginPath();
    ctx.moveTo(x - size, top - 2 * size);
    ctx.lineTo(x + size, top - 2 * size);
    ctx.lineTo(x, top);
    ctx.fill();
  });
}

const placeOf = (plot: uPlot, index: number) => ({
  x: plot.valToPos(plot.data[0][index]!, 'x', true),
  y: plot.valToPos(plot.data[1]![index]!, 'y', true),
});
