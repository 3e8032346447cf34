/** signs: values and names that were damaged before they came. They need no past, and hold in both modes. */
import type { FieldProfile } from '../../profile/profile.ts';
import { type FoundSign, signsIn } from '../../signs/judged.ts';
import { FIELD_SIGNS } from '../../signs/sign.ts';
import { isOddName, similarNames } from '../../signs/texts.ts';
import { SIGN_SAMPLES } from '../../terms/policy.ts';
import { shortened } from '../../terms/errors.ts';
import type { Facts } from '../facts.ts';
import type { BatchRule, UnlistedFinding } from '../rule.ts';

export const signsRule: BatchRule = facts => {
  const { profile, options } = facts;
  const fields = profile.fields.map(({ name }) => name);
  const found = [
    ...fields.filter(isOddName).map(name => ofName(name, { sign: 'odd_name' })),
    ...similarNames(fields).map(names => ofName(names[0]!, { sign: 'similar_names', names })),
    ...profile.fields.flatMap(field => signsIn(field.signs).map(sign => ofValues(field, sign, facts))),
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
      values: { samples: samples.map(shortened) },
    },
  };
}
