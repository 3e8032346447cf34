/**
 * The null rate of each field in each batch. It is drawn on a canvas that is as high as can be seen of it, however many
 * fields there are; the names beside it are text. Arrow keys move a mark, and what it is on is said.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Batch } from '../contract.ts';
import { type HeatRow, heatRows, SHADES, shadeOf } from '../heat.ts';
import { go } from '../use-route.ts';
import { colour, useScheme } from '../use-scheme.ts';
import { grouped, percent, plural, shortened } from '../../wording.ts';
import { dateTime } from '../times.ts';
import { contains, FieldSearch } from './field-search.tsx';
import { NAMELESS, Name } from './name.tsx';

const ROW_HEIGHT = 22;
const MOST_HEIGHT = 440;

interface Spot {
  row: number;
  batch: number;
}

/** `batches` oldest first. */
export function HeatMap({ batches }: { batches: readonly Batch[] }) {
  const [wanted, setWanted] = useState('');
  const all = useMemo(() => heatRows(batches), [batches]);
  const rows = useMemo(() => all.filter(({ name }) => contains(name, wanted)), [all, wanted]);
  return (
    <div class="heat">
      <div class="heat-tools">
        <FieldSearch wanted={wanted} onWanted={setWanted} />
        <Scale />
      </div>
      {rows.length === 0 ? (
        <p class="faint">No field has this in its name.</p>
      ) : (
        <Shades key={wanted} rows={rows} batches={batches} />
      )}
    </div>
  );
}

const Scale = () => (
  <span class="scale" aria-hidden="true">
    0%
    {Array.from({ length: SHADES }, (_, shade) => (
      <i key={shade} class={`shade-${shade}`} />
    ))}
    100% null
  </span>
);

function Shades({ rows, batches }: { rows: readonly HeatRow[]; batches: readonly Batch[] }) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [top, setTop] = useState(0);
  const [width, setWidth] = useState(0);
  const [spot, setSpot] = useState<Spot | null>(null);
  const scheme = useScheme();
  const height = Math.min(MOST_HEIGHT, rows.length * ROW_HEIGHT);
  useEffect(() => {
    const drawn = canvas.current!;
    const watcher = new ResizeObserver(() => setWidth(drawn.clientWidth));
    watcher.observe(drawn);
    return () => watcher.disconnect();
  }, []);
  useLayoutEffect(() => {
    draw(canvas.current!, { rows, batches: batches.length, top, width, height, spot });
  }, [rows, batches, top, width, height, spot, scheme]);
  const first = Math.floor(top / ROW_HEIGHT);
  const visible = rows.slice(first, first + Math.ceil(height / ROW_HEIGHT) + 1);

  const point = ({ offsetX, offsetY }: MouseEvent) =>
    setSpot(spotAt(offsetX, offsetY + top, width, rows, batches));
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && spot) return go({ page: 'job', id: batches[spot.batch]!.job_id });
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const next = moved(spot, step, rows.length, batches.length);
    setSpot(next);
    scroller.current!.scrollTop = scrolledTo(next.row, top, height);
  };
  return (
    <>
      <div
        ref={scroller}
        class="heat-map"
        style={{ height: `${height}px` }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move in it
        tabIndex={0}
        role="application"
        aria-roledescription="heat map"
        aria-label={`Null rates of ${plural(rows.length, 'field')} in ${plural(batches.length, 'batch', 'batches')}. Arrow keys move, Enter opens the batch.`}
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
        onKeyDown={press}
      >
        <div style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
          <div class="heat-seen" style={{ height: `${height}px` }}>
            <div class="heat-names">
              {visible.map(({ name }, i) => (
                <div
                  key={name}
                  class={spot?.row === first + i ? 'heat-name at' : 'heat-name'}
                  style={{ transform: `translateY(${(first + i) * ROW_HEIGHT - top}px)` }}
                >
                  <Name text={name} />
                </div>
              ))}
            </div>
            <canvas
              ref={canvas}
              class="heat-canvas"
              onMouseMove={point}
              onMouseLeave={() => setSpot(null)}
              onClick={() => spot && go({ page: 'job', id: batches[spot.batch]!.job_id })}
            />
          </div>
        </div>
      </div>
      <p class="readout" aria-live="polite">
        {spot ? (
          <Reading
            row={rows[spot.row]!}
            batch={batches[spot.batch]!}
            rate={rows[spot.row]!.rates[spot.batch]!}
          />
        ) : (
          'Point at a cell, or use the arrow keys; the fields that moved most come first.'
        )}
      </p>
    </>
  );
}

function Reading({ row, batch, rate }: { row: HeatRow; batch: Batch; rate: number | null }) {
  const name = row.name.trim() === '' ? NAMELESS : shortened(row.name, 64);
  return (
    <span>
      <bdi>{name}</bdi>: <b>{rate === null ? 'not in this batch' : `${percent(rate)} null`}</b> on{' '}
      {dateTime(batch.created_at)}, {batch.status}, {grouped(batch.rows_received)} rows
    </span>
  );
}

const STEPS: Record<string, Spot> = Object.assign(Object.create(null), {
  ArrowUp: { row: -1, batch: 0 },
  ArrowDown: { row: 1, batch: 0 },
  ArrowLeft: { row: 0, batch: -1 },
  ArrowRight: { row: 0, batch: 1 },
  PageUp: { row: -10, batch: 0 },
  PageDown: { row: 10, batch: 0 },
});

const within = (value: number, size: number): number => Math.max(0, Math.min(size - 1, value));

/** The first press marks the newest batch of the first field. */
const moved = (spot: Spot | null, step: Spot, rows: number, batches: number): Spot =>
  spot === null
    ? { row: 0, batch: batches - 1 }
    : { row: within(spot.row + step.row, rows), batch: within(spot.batch + step.batch, batches) };

/** As far as is needed to see the row whole. */
const scrolledTo = (row: number, top: number, height: number): number =>
  Math.min(row * ROW_HEIGHT, Math.max(top, (row + 1) * ROW_HEIGHT - height));

function spotAt(
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

interface Scene {
  rows: readonly HeatRow[];
  batches: number;
  top: number;
  width: number;
  height: number;
  spot: Spot | null;
}

function draw(canvas: HTMLCanvasElement, { rows, batches, top, width, height, spot }: Scene): void {
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
