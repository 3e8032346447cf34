/** Dates in texts by regular expressions and the Date of the platform: slow, and close to the description of each notation. */
import { DateClock, DateForm, DateOrder, DateStyle, DateZone } from '../../assembly/abi-dates.ts';

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const ZONES: Record<string, number> = {
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
};
const inWords = (names: string[]) => names.flatMap(name => [name, name.slice(0, 3)]).join('|');

const D = '(?<d>\\d\\d?)';
const M = '(?<m>\\d\\d?)';
const Y = '(?<y>\\d{4})';
const NAME = `(?<name>${inWords(MONTHS)})`;
const WEEKDAY = `(?:(?<weekday>${inWords(WEEKDAYS)}),? )?`;
const FRACTION = '(?<fraction>[.,]\\d+)?';
const ISO_TIME = `(?<h>\\d\\d):(?<min>\\d\\d)(?::(?<s>\\d\\d)${FRACTION})?`;
const TIME = `,? (?<h>\\d\\d?):(?<min>\\d\\d)(?::(?<s>\\d\\d)${FRACTION})?(?: ?(?<half>[ap]m))?`;
const ANY_ZONE = '(?<zone>z|utc|gmt|ut|[ecmp][sd]t|[+-]\\d\\d(?::?\\d\\d)?)';
const TIGHT = `${ANY_ZONE}?`;
const ZONE = `(?: ?${ANY_ZONE})?`;

/** Each notation: its style, its day, and what may follow. The first that matches counts. */
const NOTATIONS: [DateStyle, string, string[]][] = [
  [DateStyle.ISO, '(?<y>\\d{4})-(?<m>\\d\\d)-(?<d>\\d\\d)', [`t${ISO_TIME}${TIGHT}`, ` ${ISO_TIME}${ZONE}`]],
  [DateStyle.YEAR_DASHED, `${Y}-(?!\\d\\d-\\d\\d(?!\\d))${M}-${D}`, [TIME + ZONE]],
  [DateStyle.YEAR_SLASHED, `${Y}/${M}/${D}`, [TIME + ZONE]],
  [DateStyle.YEAR_DOTTED, `${Y}\\.${M}\\.${D}`, [TIME + ZONE]],
  [
    DateStyle.COMPACT,
    '(?<y>(?:19|20)\\d\\d)(?<m>\\d\\d)(?<d>\\d\\d)',
    [`t(?<h>\\d\\d)(?<min>\\d\\d)${TIGHT}`, `t?(?<h>\\d\\d)(?<min>\\d\\d)(?<s>\\d\\d)${FRACTION}${TIGHT}`],
  ],
  [DateStyle.YEAR_MONTH, '(?<y>(?:19|20)\\d\\d)-(?<m>\\d\\d)', []],
  [DateStyle.EITHER_SLASHED, `(?<first>\\d\\d?)/(?<second>\\d\\d?)/(?<y>\\d{4}|\\d\\d)`, [TIME + ZONE]],
  [DateStyle.EITHER_DASHED, `(?<first>\\d\\d?)-(?<second>\\d\\d?)-${Y}`, [TIME + ZONE]],
  [DateStyle.DOTTED, `${D}\\.${M}\\.${Y}`, [TIME + ZONE]],
  [DateStyle.NAMED, `${WEEKDAY}${D}(?<by>[ /-])${NAME}\\k<by>${Y}`, [TIME + ZONE]],
  [DateStyle.NAMED_FIRST, `${WEEKDAY}${NAME} ${D},? ${Y}`, [TIME + ZONE]],
];
const EXPRESSIONS = NOTATIONS.flatMap(([style, date, times]) =>
  ['', ...times].map(time => [style, new RegExp(`^${date}${time}$`, 'i')] as const),
);

type Parts = Record<string, string | undefined>;
export type ReadDate = { time: number; form: number } | null;

export function dateOf(text: string, order: DateOrder): ReadDate {
  for (const [style, expression] of EXPRESSIONS) {
    const parts = expression.exec(text)?.groups as Parts | undefined;
    if (parts) return text.length <= 64 ? read({ ...parts }, style, order, text) : null;
  }
  return null;
}

function read(parts: Parts, notation: DateStyle, order: DateOrder, text: string): ReadDate {
  const style = parts.first ? ordered(parts, notation, order) : notation;
  if (style === null) return null;
  const day = dayOf(parts);
  const clock = parts.h === undefined ? { value: 0, form: 0, east: 0 } : clockOf(parts);
  if (day === null || clock === null) return null;
  const isSpaced = parts.h !== undefined && style !== DateStyle.COMPACT && !/\dt/i.test(text);
  const isShort = parts.y!.length === 2;
  const form = style | clock.form | (isSpaced ? DateForm.SPACED : 0) | (isShort ? DateForm.SHORT_YEAR : 0);
  return { time: day + clock.value - clock.east * 60_000, form };
}

/** The style of `01/02/2026`; sets its day and month. */
function ordered(parts: Parts, style: DateStyle, order: DateOrder): DateStyle | null {
  const [first, second] = [Number(parts.first), Number(parts.second)];
  const isDayFirst = first > 12 || (second <= 12 && order !== DateOrder.MONTH_FIRST);
  [parts.d, parts.m] = isDayFirst ? [parts.first, parts.second] : [parts.second, parts.first];
  const isDashed = style === DateStyle.EITHER_DASHED;
  if (first > 12) return isDashed ? DateStyle.DAY_DASHED : DateStyle.DAY_SLASHED;
  if (second > 12) return isDashed ? DateStyle.MONTH_DASHED : DateStyle.MONTH_SLASHED;
  return order === DateOrder.UNKNOWN && first !== second ? null : style;
}

const indexOf = (names: string[], name: string) =>
  names.findIndex(full => full.startsWith(name.toLowerCase().slice(0, 3)));

/** POSIX, strptime: 69 to 99 are in the twentieth century. */
const yearOf = (short: number): number => (short < 69 ? 2000 : 1900) + short;

/** The first millisecond of the day. The platform's Date rolls a day that does not exist over to the next month. */
function dayOf({ y, m, d = '1', name, weekday }: Parts): number | null {
  const month = name ? indexOf(MONTHS, name) : Number(m) - 1;
  const date = new Date(0);
  date.setUTCFullYear(y!.length === 2 ? yearOf(Number(y)) : Number(y), month, Number(d));
  if (date.getUTCMonth() !== month || date.getUTCDate() !== Number(d) || month < 0) return null;
  if (weekday && date.getUTCDay() !== indexOf(WEEKDAYS, weekday)) return null;
  return date.getTime();
}

function clockOf(parts: Parts): { value: number; form: number; east: number } | null {
  const { min, s = '0', half, fraction, zone } = parts;
  let hours = Number(parts.h);
  if (half && (hours < 1 || hours > 12)) return null;
  if (half) hours = (hours % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  const minutes = Number(min);
  const seconds = Number(s);
  const offset = zoneOf(zone);
  if (offset === null || hours > 23 || minutes > 59 || seconds > 60) return null;
  const inUtc = (((hours * 60 + minutes - offset.east) % 1440) + 1440) % 1440;
  if (seconds === 60 && inUtc !== 1439) return null;
  const digits = (fraction ?? '').slice(1, 10);
  const part = fraction ? (Number(digits) * 1000) / 10 ** digits.length : 0;
  const precision =
    parts.s === undefined ? DateClock.MINUTE : fraction ? DateClock.FRACTION : DateClock.SECOND;
  const flags = (half ? DateForm.TWELVE_HOURS : 0) | (fraction?.startsWith(',') ? DateForm.COMMA : 0);
  return {
    value: part + (hours * 3600 + minutes * 60 + seconds) * 1000,
    form: precision | flags | offset.form,
    east: offset.east,
  };
}

function zoneOf(zone: string | undefined): { form: number; east: number } | null {
  if (!zone) return { form: 0, east: 0 };
  const name = zone.toLowerCase();
  if (name === 'z') return { form: DateZone.Z, east: 0 };
  if (['utc', 'gmt', 'ut'].includes(name)) return { form: DateZone.NAMED, east: 0 };
  if (name in ZONES) return { form: DateZone.NAMED, east: ZONES[name]! * 60 };
  const [, sign, hours, colon, minutes = '0'] = /^([+-])(\d\d)(:?)(\d\d)?$/.exec(name)!;
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  const east = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return { form: colon ? DateZone.OFFSET : DateZone.SHORT_OFFSET, east };
}
