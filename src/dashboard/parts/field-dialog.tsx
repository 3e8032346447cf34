/** All that a report knows of one field. */
import type { FieldProfile, Report } from '../contract.ts';
import { entriesOf } from '../contract.ts';
import type { Field } from '../fields.ts';
import { figure, grouped, percent } from '../../wording.ts';
import { Dialog } from './dialog.tsx';
import { Distribution } from './distribution.tsx';
import { Facts } from './facts.tsx';
import { FindingList } from './finding-list.tsx';
import { Name } from './name.tsx';

const ALL_VALUES = 10;

interface Props {
  field: Field;
  numbering: Report['stats']['row_numbers'];
  close: () => void;
}

export const FieldDialog = ({ field, numbering, close }: Props) => (
  <Dialog title={<Name text={field.name} isWhole />} isWide close={close}>
    {field.findings.length > 0 && <FindingList findings={field.findings} numbering={numbering} />}
    <Distribution field={field} most={ALL_VALUES} />
    {field.outliers && (
      <p class="faint">
        {grouped(field.outliers.count)} of the numbers are outliers; the intervals that hold them are marked.
      </p>
    )}
    <Facts facts={factsOf(field)} />
    <div class="dialog-actions">
      <button type="button" onClick={close}>
        Close
      </button>
    </div>
  </Dialog>
);

const factsOf = ({ type, confidence, profile }: Field): [string, string][] => [
  ['Type', type],
  ['Confidence', percent(confidence)],
  ...(profile ? profileFacts(profile) : []),
];

const profileFacts = (profile: FieldProfile): [string, string][] => [
  ['Null rate', `${percent(profile.null_rate)} (${grouped(profile.nulls)} rows)`],
  ['Empty texts', grouped(profile.empties)],
  ['Different values', `${grouped(profile.distinct)} of ${grouped(profile.values)}`],
  ['Types found', typesIn(profile)],
  ...numberFacts(profile),
];

const typesIn = ({ types }: FieldProfile): string =>
  entriesOf(types)
    .filter(([, many]) => many > 0)
    .map(([type, many]) => `${type} ${grouped(many)}`)
    .join(', ') || 'none';

function numberFacts({ numbers }: FieldProfile): [string, string][] {
  if (numbers?.min === undefined) return [];
  const { min, max, mean, standard_deviation: deviation, quantiles = {} } = numbers;
  const known: [string, number | null | undefined][] = [
    ['Smallest', min],
    ['Lower quartile', quantiles['0.25']],
    ['Median', quantiles['0.5']],
    ['Upper quartile', quantiles['0.75']],
    ['Largest', max],
    ['Mean', mean],
    ['Standard deviation', deviation],
  ];
  return known.flatMap(([name, value]) =>
    value == null ? [] : ([[name, figure(value)]] as [string, string][]),
  );
}
