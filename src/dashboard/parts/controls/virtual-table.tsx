// biome-ignore-all lint/a11y/useSemanticElements: rows of a real table cannot be laid out freely everywhere
// biome-ignore-all lint/a11y/useFocusableInteractive: rows are read, not operated
/**
 * A table of any length. Only visible rows are in the page.
 *
 * It scrolls with the page. All rows have the height of the first one, which is measured: the style sheet sets it by the width of
 * the window. Roles tell screen readers what the freely laid out elements do not.
 */
import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Column<Item> {
  title: string;
  /** Class of the cell, for its width and position. */
  class: string;
  cell: (item: Item) => ComponentChildren;
}

interface Props<Item> {
  label: string;
  class: string;
  items: readonly Item[];
  keyOf: (item: Item) => string;
  columns: readonly Column<Item>[];
}

/** Rows beyond the edges of the window, ready for scrolling. */
const SPARE_ROWS = 8;
const FIRST_ROWS = 30;
/** A shorter table has all rows in the page: a focused row that is scrolled away would lose the focus. */
const MAX_WHOLE = 60;
const ASSUMED_HEIGHT = 44;

interface Seen {
  from: number;
  to: number;
  rowHeight: number;
}

export function VirtualTable<Item>({ label, class: name, items, keyOf, columns }: Props<Item>) {
  const body = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState<Seen>({ from: 0, to: FIRST_ROWS, rowHeight: ASSUMED_HEIGHT });
  const measure = useCallback(() => {
    if (body.current) setSeen(before => same(before, seenIn(body.current!, items.length)));
  }, [items.length]);
  useLayoutEffect(measure, [measure]);
  useEffect(() => {
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [measure]);
  const { from, rowHeight } = seen;
  const to = Math.min(seen.to, items.length);
  return (
    <div role="table" class={`table ${name}`} aria-label={label} aria-rowcount={items.length + 1}>
      <div role="rowgroup" class="table-head">
        <div role="row" class="row" aria-rowindex={1}>
          {columns.map(({ title, class: cell }) => (
            <div key={title} role="columnheader" class={cell}>
              {title}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={body}>
        <div role="presentation" style={{ height: `${from * rowHeight}px` }} />
        {items.slice(from, to).map((item, i) => (
          <div key={keyOf(item)} role="row" class="row" aria-rowindex={from + i + 2}>
            {columns.map(({ title, class: cell, cell: content }) => (
              <div key={title} role="cell" class={cell} data-title={title}>
                {content(item)}
              </div>
            ))}
          </div>
        ))}
        <div role="presentation" style={{ height: `${(items.length - to) * rowHeight}px` }} />
      </div>
    </div>
  );
}

function seenIn(body: HTMLElement, rows: number): Seen {
  const rowHeight = body.querySelector<HTMLElement>('.row')?.offsetHeight || ASSUMED_HEIGHT;
  if (rows <= MAX_WHOLE) return { from: 0, to: MAX_WHOLE, rowHeight };
  const above = -body.getBoundingClientRect().top / rowHeight;
  const last = Math.max(0, rows - 1);
  return {
    from: Math.min(last, Math.max(0, Math.floor(above) - SPARE_ROWS)),
    to: Math.max(1, Math.ceil(above + innerHeight / rowHeight) + SPARE_ROWS),
    rowHeight,
  };
}

/** The old object if nothing has changed, so that nothing is rendered. */
const same = (a: Seen, b: Seen): Seen =>
  a.from === b.from && a.to === b.to && a.rowHeight === b.rowHeight ? a : b;
