/** A profile as text with small charts. */
import { statisticsOf } from '../../client/statistics.ts';
import { quoted } from '../../terms/errors.ts';
import type { DatesDescription } from '../../profile/describe-dates.ts';
import type {
  FieldDescription,
  Histogram,
  NumbersDescription,
  ProfileDescription,
  TopValue,
} from '../../profile/describe.ts';
import { MAX_VALUES } from '../../states/values.ts';
import { dateWords, grouped, percent, semanticWords } from '../../terms/wording.ts';
import type { Terminal } from '../terminal.ts';

const HEIGHTS = '▁▂▃▄▅▆▇█';
const BAR_CHARACTERS = 24;
const SHOWN_VALUES = 5;
const INDENT = '    ';

/** A few lines for each field. */
export const profileText = (
  { fields }: ProfileDescription,
  rows: number,
  terminal: Pick<Terminal, 'styled'>,
): string =>
  Object.entries(fields)
    .map(([name, field]) => fieldLines(name, field, rows, terminal).join('\n'))
    .join('\n\n');

function fieldLines(
  name: string,
  field: FieldDescription,
  rows: number,
  terminal: Pick<Terminal, 'styled'>,
): string[] {
  return [
    terminal.styled('bold', quoted(name)),
    `${INDENT}${[typesText(field), nullsText(field), distinctText(field), absentText(field, rows)].filter(Boolean).join('; ')}`,
    ...(field.numbers ? numberLines(field.numbers) : []),
    ...(field.dates ? dateLines(field.dates) : []),
    ...(field.semantic_type ? [`${INDENT}likely ${semanticWords(field.semantic_type)}`] : []),
    ...statisticLines(field),
    ...(field.booleans ? barLines(booleanCounts(field.booleans)) : []),
    ...(field.top_values ? barLines(field.top_values.slice(0, SHOWN_VALUES)) : []),
  ];
}

/** `number`, or `number 95%, string 5%`. */
function typesText({ types }: FieldDescription): string {
  const held = Object.entries(types).filter(([, count]) => count > 0);
  const total = held.reduce((sum, [, count]) => sum + count, 0);
  if (held.length === 0) return 'no values';
  if (held.length === 1) return held[0]![0];
  return held
    .sort(([, a], [, b]) => b - a)
    .map(([type, count]) => `${type} ${percent(count / total)}`)
    .join(', ');
}

const nullsText = ({ null_rate, empties }: FieldDescription): string =>
  `null ${percent(null_rate)}${empties > 0 ? `, ${grouped(empties)} empty` : ''}`;

const distinctText = ({ values, distinct }: FieldDescription): string =>
  values === 0
    ? ''
    : `${distinct > MAX_VALUES ? 'about ' : ''}${grouped(distinct)} distinct of ${grouped(values)}`;

/** In how many rows the field is present: JSON rows may lack it, which counts as null too. */
const absentText = ({ present }: FieldDescription, rows: number): string =>
  present === rows ? '' : `in ${grouped(present)} of ${grouped(rows)} rows`;

function numberLines({
  min,
  max,
  mean,
  standard_deviation,
  quantiles,
  histogram,
}: NumbersDescription): string[] {
  const deviation = standard_deviation === null ? '' : `, deviation ${short(standard_deviation)}`;
  return [
    `${INDENT}${short(min)} ${columnsOf(histogram)} ${short(max)}`,
    `${INDENT}mean ${short(mean)}${deviation}; quartiles ${['0.25', '0.5', '0.75'].map(at => short(quantiles[at]!)).join(', ')}`,
  ];
}

function dateLines(dates: DatesDescription): string[] {
  const { format, range } = dateWords(dates);
  return [`${INDENT}dates ${range === null ? format : `${format}; ${range}`}`];
}

const statisticLines = (field: FieldDescription): string[] => {
  const listed = statisticsOf(field).map(({ label, text }) => `${label.toLowerCase()} ${text}`);
  return listed.length === 0 ? [] : [`${INDENT}${listed.join(', ')}`];
};

/** One character for each interval; a space for an empty one. */
function columnsOf({ counts }: Histogram): string {
  const most = Math.max(...counts);
  return counts
    .map(count => (count === 0 ? ' ' : HEIGHTS[Math.ceil((count / most) * HEIGHTS.length) - 1]))
    .join('');
}

const booleanCounts = (booleans: { true: number; false: number }): TopValue[] =>
  Object.entries(booleans).map(([value, count]) => ({ value, count }));

function barLines(values: readonly TopValue[]): string[] {
  const most = Math.max(...values.map(({ count }) => count));
  const names = values.map(({ value }) => quoted(value).slice(0, 34));
  const width = Math.max(...names.map(name => name.length));
  return values.map(({ count }, i) => {
    const bar = '█'.repeat(Math.ceil((count / most) * BAR_CHARACTERS)).padEnd(BAR_CHARACTERS);
    return `${INDENT}${names[i]!.padEnd(width)} ${bar} ${grouped(count)}`;
  });
}

const short = (value: number): string => String(Number(value.toPrecision(6)));
