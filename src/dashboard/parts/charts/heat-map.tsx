/**
 * The null rate of each field in each batch. The canvas shows only the visible part, so any number of fields will do. The names
 * beside it are text. Arrow keys move a mark, and a line of text below reads the marked cell.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Batch } from '../../contract.ts';
import { type HeatRow, heatRows, SHADES } from '../../heat.ts';
import { go } from '../../use-route.ts';
import { useScheme } from '../../use-scheme.ts';
import { grouped, percent, plural } from '../../../terms/wording.ts';
import { date, dateTime } from '../../times.ts';
import { contains, FieldSearch } from '../report/field-search.tsx';
import { draw, MAX_HEIGHT, moved, ROW_HEIGHT, type Spot, scrolledTo, spotAt, STEPS } from './heat-cells.ts';
import { Name, nameText } from '../values/name.tsx';

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
        <Cells key={wanted} rows={rows} batches={batches} />
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

interface MapProps {
  rows: readonly HeatRow[];
  batches: readonly Batch[];
}

function Cells({ rows, batches }: MapProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [spot, setSpot] = useState<Spot | null>(null);
  const height = Math.min(MAX_HEIGHT, rows.length * ROW_HEIGHT);
  const open = (at: Spot) => go({ page: 'job', id: batches[at.batch]!.job_id });
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && spot) return open(spot);
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
            <Names rows={rows} top={top} height={height} spot={spot} />
            <Canvas {...{ rows, batches, top, height, spot, open }} move={setSpot} />
          </div>
        </div>
      </div>
      <p class="heat-ends" aria-hidden="true">
        <span>{date(batches[0]!.created_at)}</span>
        <span>{date(batches.at(-1)!.created_at)}</span>
      </p>
      <Readout rows={rows} batches={batches} spot={spot} />
    </>
  );
}

interface NamesProps {
  rows: readonly HeatRow[];
  top: number;
  height: number;
  spot: Spot | null;
}

/** Only the names that are visible. */
function Names({ rows, top, height, spot }: NamesProps) {
  const first = Math.floor(top / ROW_HEIGHT);
  const visible = rows.slice(first, first + Math.ceil(height / ROW_HEIGHT) + 1);
  return (
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
  );
}

interface CanvasProps extends NamesProps, MapProps {
  move: (spot: Spot | null) => void;
  open: (spot: Spot) => void;
}

function Canvas({ rows, batches, top, height, spot, move, open }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const scheme = useScheme();
  useEffect(() => {
    const element = canvas.current!;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    draw(canvas.current!, { rows, batches: batches.length, top, width, height, spot });
  }, [rows, batches, top, width, height, spot, scheme]);
  return (
    <canvas
      ref={canvas}
      class="heat-canvas"
      onMouseMove={({ offsetX, offsetY }) => move(spotAt(offsetX, offsetY + top, width, rows, batches))}
      onMouseLeave={() => move(null)}
      onClick={() => spot && open(spot)}
    />
  );
}

const Readout = ({ rows, batches, spot }: MapProps & { spot: Spot | null }) => (
  <p class="readout" aria-live="polite">
    {spot ? (
      <Reading row={rows[spot.row]!} batch={batches[spot.batch]!} rate={rows[spot.row]!.rates[spot.batch]!} />
    ) : (
      'Point at a cell or use the arrow keys. Fields that changed most come first.'
    )}
  </p>
);

function Reading({ row, batch, rate }: { row: HeatRow; batch: Batch; rate: number | null }) {
  const name = nameText(row.name, 64);
  return (
    <span>
      <bdi>{name}</bdi>: <b>{rate === null ? 'not in this batch' : `${percent(rate)} null`}</b> on{' '}
      {dateTime(batch.created_at)}, {batch.status}, {grouped(batch.rows_received)} rows
    </span>
  );
}
