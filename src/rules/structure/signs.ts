/** signs: values and names that were damaged before they came. They need no past, and hold in both modes. */
import type { FieldProfile } from '../../profile/profile.ts';
import { type FoundSign, MIN_SENTINELS, signsIn } from '../../signs/judged.ts';
import { FIELD_SIGNS } from '../../signs/sign.ts';
import { isOddName, similarNames } from '../../signs/texts.ts';
import { SIGN_SAMPLES } from '../../terms/policy.ts';
import type { Facts } from '../facts.ts';
import type { BatchRule, UnlistedFinding } from '../rule.ts';

export const signsRule: BatchRule = facts => {
  const { profile, options } = facts;
  const fields = profile.fields.map(({ name }) => name);
  const found = [
    ...fields.filter(isOddName).map(name => ofName(name, { sign: 'odd_name' })),
    ...similarNames(fields).map(names => ofName(names[0]!, { sign: 'similar_names', names })),
    ...profile.fields.flatMap(field => [
      ...signsIn(field.signs).map(sign => ofValues(field, sign, facts)),
      ...sentinelNumbers(field, facts),
    ]),
  ];
  return found.filter(({ evidence }) => options.signs.has(evidence.sign));
};

type SignFinding = Extract<UnlistedFinding, { kind: 'signs' }>;

const ofName = (
  field: string,
  evidence: Pick<SignFinding['evidence'], 'names'> & { sign: 'odd_name' | 'similar_names' },
): SignFinding => ({
  kind: 'signs',
  field,
  severity: FIELD_SIGNS[evidence.sign],
  scope: 'field',
  evidence: { count: 1, rate: null, mark: null, ...evidence },
});

function ofValues(
  { name, column, nulls }: FieldProfile,
  { sign, count, mark }: FoundSign,
  { profile, queries }: Facts,
): SignFinding {
  const samples = mark === null ? [] : queries.marked(column, mark, SIGN_SAMPLES);
  return {
    kind: 'signs',
    field: name,
    severity: FIELD_SIGNS[sign],
    scope: 'field',
    evidence: {
      sign,
      count,
      rate: count / (sign === 'spreadsheet_null' ? profile.rows : profile.rows - nulls),
      mark,
      values: { samples },
    },
  };
}

/** Numbers that people write in place of none. */
const BELOW: readonly number[] = [-999, -9999, -99999, -999999];
const ABOVE: readonly number[] = [9999, 99999, 999999, 9999999];

/** The same number several times, outside the fences of outliers, with nothing as far. */
function sentinelNumbers(
  { name, column, measured: { numeric } }: FieldProfile,
  { queries }: Facts,
): SignFinding[] {
  if (numeric === null || numeric.outliers.count < MIN_SENTINELS) return [];
  const { count: numbers, outliers } = numeric;
  const [low, high] = [BELOW.includes(outliers.min), ABOVE.includes(outliers.max)];
  if (!low && !high) return [];
  const value = low ? outliers.min : outliers.max;
  const fences = low
    ? { low: value + 0.5, high: Number.POSITIVE_INFINITY }
    : { low: Number.NEGATIVE_INFINITY, high: value - 0.5 };
  const { count, min, max } = queries.outside(column, fences.low, fences.high);
  if (count < MIN_SENTINELS || min !== max) return [];
  return [
    {
      kind: 'signs',
      field: name,
      severity: FIELD_SIGNS.sentinel_number,
      scope: 'field',
      evidence: {
        sign: 'sentinel_number',
        count,
        rate: count / numbers,
        mark: null,
        values: { samples: [String(value)], fences },
      },
    },
  ];
}
