/** Where a batch has what a finding says of a column, if that is confined to a stretch of it. */
import type { Told } from '../engine/queries.ts';
import { IN_A_RUN, type TextRun } from '../engine/reading.ts';
import { VALUE_TYPES } from '../profile/profile.ts';
import type { FirstRows, RowAt } from './first-rows.ts';
import { PLACE_OF, type Stretch, typePlaces } from './stretches.ts';

/** The first row, and the last one with its line. */
export interface Span {
  first: RowAt;
  last: RowAt;
}

const TEXT_PLACES = typePlaces('string');
const TYPED_PLACES = [...typePlaces('number'), ...typePlaces('boolean')];

/** So much of it lies within its span, and the share of rows there is so many times as large as outside. */
const MOST = 0.9;
const DENSER = 10;
/** A span of more of the rows is all of the batch. */
const CONFINED = 0.8;

/**
 * The run of stretches that exceeds half of the largest share by most; null unless it has nearly all of it. `listed`: the first rows that have it, in order.
 */
export function spanOf(
  stretches: readonly Stretch[],
  column: string,
  told: Told,
  listed: FirstRows,
): Span | null {
  const counts = stretches.map(each => countIn(each, column, told));
  // Where all of them are listed, that says more.
  if (sum(counts) <= listed.length) return null;
  const half = Math.max(...stretches.map(({ rows }, i) => counts[i]! / rows)) / 2;
  const [from, end] = fullestRun(stretches.map(({ rows }, i) => counts[i]! - half * rows));
  const inside = stretches.slice(from, end);
  const count = sum(counts.slice(from, end));
  const rows = sum(inside.map(each => each.rows));
  const others = sum(counts) - count;
  const otherRows = sum(stretches.map(each => each.rows)) - rows;
  if (rows > CONFINED * (rows + otherRows) || count < MOST * (count + others)) return null;
  if (count / rows < (DENSER * others) / otherRows) return null;
  const [begin, ending] = [inside[0]!, inside.at(-1)!];
  const first = listed.find(row => isIn(begin, row)) ?? rowAt(begin, 0);
  return { first, last: lastRow(ending, stretches[end]) };
}

/** Rows of a stretch of which that is told. */
function countIn({ rows, columns }: Stretch, column: string, told: Told): number {
  const counts = columns.get(column);
  // No row of it has the column.
  if (counts === undefined) return told === 'null' ? rows : 0;
  if (told === 'unseen' || told === 'far' || told === 'empty') return counts[PLACE_OF[told]]!;
  const values = sum(VALUE_TYPES.flatMap(type => typePlaces(type).map(place => counts[place]!)));
  if (told === 'null') return rows - values;
  const type = VALUE_TYPES.find(each => told === `no ${each}`)!;
  return values - sum(typePlaces(type).map(place => counts[place]!));
}

/** Of a column: where the stretches were read as texts. */
export function textRunIn(stretches: readonly Stretch[], column: string): TextRun {
  const counts = stretches.map(({ columns }) => columns.get(column));
  const texts = counts.map(each => (each ? sum(TEXT_PLACES.map(place => each[place]!)) : 0));
  const typed = counts.map(each => (each ? sum(TYPED_PLACES.map(place => each[place]!)) : 0));
  const [from, end] = fullestRun(texts.map((count, i) => count - typed[i]!));
  const areTexts = (i: number) => i >= from && i < end && texts[i]! >= IN_A_RUN * (texts[i]! + typed[i]!);
  const first = texts.findIndex((_, i) => areTexts(i));
  const last = texts.findLastIndex((_, i) => areTexts(i));
  // The run begins and ends within a stretch, of which only the counts are known: its texts are those of the run.
  const run =
    first < 0
      ? { texts: sum(texts.slice(from, end)), typed: sum(typed.slice(from, end)) }
      : {
          texts: sum(texts.slice(Math.max(0, first - 1), last + 2)),
          typed: sum(typed.slice(first, last + 1)),
        };
  return { ...run, otherTexts: sum(texts) - run.texts, otherTyped: sum(typed) - run.typed };
}

/** The run whose sum is largest (Kadane): its first place, and the place behind its last. */
function fullestRun(values: readonly number[]): [from: number, end: number] {
  let best = { sum: Number.NEGATIVE_INFINITY, from: 0, end: 0 };
  let run = { sum: 0, from: 0 };
  for (const [i, value] of values.entries()) {
    run = run.sum > 0 ? { sum: run.sum + value, from: run.from } : { sum: value, from: i };
    if (run.sum > best.sum) best = { ...run, end: i + 1 };
  }
  return [best.from, best.end];
}

const isIn = ({ place: [part], first, rows }: Stretch, { place }: RowAt): boolean =>
  place[0] === part && place[1] >= first && place[1] < first + rows;

const rowAt = ({ place: [part], first, line }: Stretch, row: number): RowAt => ({
  place: [part, first + row],
  line: line === 0 ? 0 : line + row,
});

/** In the last stretch of a part each row is taken for one line, and extra ones for those of its rows. */
function lastRow(stretch: Stretch, next: Stretch | undefined): RowAt {
  const last = rowAt(stretch, stretch.rows - 1);
  if (last.line > 0) last.line += stretch.extraLines;
  return next?.place[0] === stretch.place[0] && next.line > 0 ? { ...last, line: next.line - 1 } : last;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
