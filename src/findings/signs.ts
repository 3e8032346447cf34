/** signs: values or names that were damaged before they came. */
import type { SignIssue } from '../report-schema/report.ts';
import type { FieldSign, Mark } from '../signs/sign.ts';
import { quoted } from '../terms/errors.ts';
import type { Fences } from '../baseline/fences.ts';
import { PENALTY } from '../terms/policy.ts';
import { percent, plural } from '../terms/wording.ts';
import { fieldOf, type FindingOf, type Kind, rowsIn } from './finding.ts';

export interface SignEvidence {
  sign: FieldSign;
  /** Values that show it; of names 1. */
  count: number;
  /** Share of the values that are not null: 0..1; null of names. */
  rate: number | null;
  /** Which rows show it; null: none, or all. */
  mark: Mark | null;
  /** Names that look alike. */
  names?: string[];
  /** `fences`: values outside show it, where there is no mark. */
  values?: { samples: string[]; fences?: Fences };
}

export type Signs = FindingOf<'signs', SignEvidence>;

type Shown = Pick<SignEvidence, 'sign' | 'count' | 'rate' | 'mark' | 'names'>;

/** `3 values (1.5%) are` */
const are = (one: string, many: string) => (shown: Shown) => {
  const { count, rate } = shown;
  return `${plural(count, 'value')} (${percent(rate ?? 1)}) ${count === 1 ? one : many}`;
};

const WORDS: Record<FieldSign, (shown: Shown) => string> = {
  odd_name: () =>
    'the name has a character that cannot be seen or was read wrongly, so a load may not find it; rename it',
  similar_names: ({ names = [] }) =>
    `the names ${names.map(quoted).join(' and ')} look the same, and differ in characters that cannot be seen or in how accents are written`,
  replacement_character: shown =>
    `${are('holds', 'hold')(shown)} U+FFFD, which stands for text that is lost; read the source again in its own encoding`,
  mojibake: shown =>
    `${are('looks', 'look')(shown)} like UTF-8 that was read in another encoding; read the source again as UTF-8`,
  invisible_character: shown =>
    `${are('holds', 'hold')(shown)} characters that cannot be seen, so comparisons fail; remove them`,
  spreadsheet_error: shown =>
    `${are('is an error', 'are errors')(shown)} of a spreadsheet; mend its formulas`,
  spreadsheet_null: shown =>
    `${plural(shown.count, 'value')} ${shown.count === 1 ? 'is' : 'are'} #N/A, the error of a spreadsheet that finds nothing; read as null`,
  sentinel_date: shown => `${are('is', 'are')(shown)} far from all others and may stand for an unknown day`,
  whole_decimals: shown =>
    `${are('is a whole number', 'are whole numbers')(shown)} with a decimal point, such as 7.0, and the others have none: a null may have made them so`,
  sentinel_number: shown => `${are('is', 'are')(shown)} far from all others and may stand for no value`,
  impossible_date: are('is a date that does not exist', 'are dates that do not exist'),
  missing_offset: shown =>
    `times are written with and without an offset from UTC, so some may be hours off: ${are('has', 'have')(shown)} ${shown.mark === 'no_offset' ? 'none' : 'one'}`,
  mixed_offset: shown =>
    `times have different offsets from UTC: ${are('is', 'are')(shown)} ${shown.mark === 'zero_offset' ? 'at UTC' : shown.mark === 'east_offset' ? 'east of it' : 'west of it'}`,
  test_data: shown => `${are('seems', 'seem')(shown)} to be typed as a test`,
  two_day_orders: shown =>
    `dates begin with the day and with the month: ${are('begins', 'begin')(shown)} with the ${shown.mark === 'day_first' ? 'day' : 'month'}`,
  rounded_ids: shown =>
    `${are('seems', 'seem')(shown)} to be rounded, as spreadsheets and JavaScript do with long numbers; export ids as text`,
  cut_texts: shown =>
    `${are('ends', 'end')(shown)} after exactly ${shown.mark === 'at_255' ? '255' : '32,767'} characters, and none is longer: they may be cut`,
  two_decimal_signs: shown =>
    `numbers are written with a comma and with a point: ${are('has', 'have')(shown)} a ${shown.mark === 'decimal_comma' ? 'comma' : 'point'}`,
};

const detailOf = ({ evidence }: Signs): string => WORDS[evidence.sign](evidence);

export const signs: Kind<'signs', SignEvidence> = {
  name: 'signs',
  description: 'Values or names seem to be damaged',
  comparesWithBaseline: false,
  healthGroup: 'signs',
  // What may well be right costs nothing.
  penalty: ({ severity }) => (severity === 'info' ? 0 : PENALTY[severity]),
  words: finding => `${quoted(fieldOf(finding))}: ${detailOf(finding)}`,
  rowCode: 'damaged_value',
  isHeld: ({ severity }) => severity !== 'info',
  rows({ field, evidence: { mark, values } }, finder) {
    const profile = finder.field(field);
    const { fences } = values ?? {};
    if (fences && profile) return { find: finder.outside(profile, fences.low, fences.high) };
    return mark === null || profile === undefined ? null : { find: finder.marked(profile, mark) };
  },
  batchCode: ({ kind, severity, evidence }) => (severity === 'info' || evidence.mark ? null : kind),
  listsInfo: true,
  issue(finding, issues) {
    const { sign, count, rate, values } = finding.evidence;
    issues.signs ??= [];
    issues.signs.push({
      sign,
      field: fieldOf(finding),
      count,
      ...(rate !== null && { rate }),
      ...(values && values.samples.length > 0 && { sample_values: values.samples }),
      ...rowsIn(finding),
      detail: detailOf(finding),
      severity: finding.severity === 'info' ? 'info' : 'warn',
    } satisfies SignIssue);
  },
};
