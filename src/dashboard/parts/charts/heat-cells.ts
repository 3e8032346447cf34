/** The cells of a heat map: where they are, and how they are drawn. */
import type { Batch } from '../../contract.ts';
import { type HeatRow, SHADES, shadeOf } from '../../heat.ts';
import { colour } from '../../use-scheme.ts';

export const ROW_HEIGHT = 22;
export const MAX_HEIGHT = 440;

/** A cell by the indexes of its row and its batch. */
export interface Spot {
  row: number;
  batch: number;
}

export const STEPS: Record<string, Spot> = Object.assign(Object.create(null), {
  ArrowUp: { row: -1, batch: 0 },
  ArrowDown: { row: 1, batch: 0 },
  ArrowLeft: { row: 0, batch: -1 },
  ArrowRight: { row: 0, batch: 1 },
  PageUp: { row: -10, batch: 0 },
  PageDown: { row: 10, batch: 0 },
});

const within = (value: number, size: number): number => Math.max(0, Math.min(size - 1, value));

/** Without a mark the first key press marks the newest batch of the first field. */
export const moved = (spot: Spot | null, step: Spot, rows: number, batches: number): Spot =>
  spot === null
    ? { row: 0, batch: batches - 1 }
    : { row: within(spot.row + step.row, rows), batch: within(spot.batch + step.batch, batches) };

/** The nearest scroll position that shows the whole row. */
export const scrolledTo = (row: number, top: number, height: number): number =>
  Math.min(row * ROW_HEIGHT, Math.max(top, (row + 1) * ROW_HEIGHT - height));

export function spotAt(
  x: number,
  y: number,
  width: number,
  rows: readonly HeatRow[],
  batches: readonly Batch[],
): Spot {
  return {
    row: within(Math.floor(y / ROW_HEIGHT), rows.length),
    batch: within(Math.floor((x / width) * batches.length), batches.length),
  };
}

/** All that `draw` needs. */
interface Scene {
  rows: readonly HeatRow[];
  batches: number;
  top: number;
  width: number;
  height: number;
  spot: Spot | null;
}

export function draw(canvas: HTMLCanvasElement, { rows, batches, top, width, height, spot }: Scene): void {
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  const context = canvas.getContext('2d')!;
  context.scale(devicePixelRatio, devicePixelRatio);
  const shades = Array.from({ length: SHADES }, (_, shade) => colour(`--shade-${shade}`));
  const cell = width / batches;
  const gap = cell > 6 ? 1 : 0;
  const first = Math.floor(top / ROW_HEIGHT);
  const last = Math.min(rows.length, first + Math.ceil(height / ROW_HEIGHT) + 1);
  for (let row = first; row < last; row++)
    rows[row]!.rates.forEach((rate, batch) => {
      if (rate === null) return;
      context.fillStyle = shades[shadeOf(rate)]!;
      context.fillRect(batch * cell, row * ROW_HEIGHT - top + 1, cell - gap, ROW_HEIGHT - 2);
    });
  if (spot === null) return;
  context.strokeStyle = colour('--ink');
  context.lineWidth = 2;
  context.strokeRect(
    spot.batch * cell,
    spot.row * ROW_HEIGHT - top + 1,
    Math.max(2, cell - gap),
    ROW_HEIGHT - 2,
  );
}
