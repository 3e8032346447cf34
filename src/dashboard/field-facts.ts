/** The facts of a report and its profile about one field. */
import { statisticsOf } from '../client/statistics.ts';
import { dateWords, figure, grouped, percent, semanticWords } from '../terms/wording.ts';
import { entriesOf, type FieldProfile } from './contract.ts';
import type { Field } from './fields.ts';

/** Names and texts, for a list. */
export const factsOf = ({ type, confidence, profile }: Field): [string, string][] => [
  ['Type', type],
  ['Confidence', percent(confidence)],
  ...(profile ? profileFacts(profile) : []),
];

const profileFacts = (profile: FieldProfile): [string, string][] => [
  ['Null rate', `${percent(profile.null_rate)} (${grouped(profile.nulls)} rows)`],
  ['Empty strings', grouped(profile.empties)],
  ['Distinct values', `${grouped(profile.distinct)} of ${grouped(profile.values)}`],
  ['Types found', typesIn(profile)],
  ...numberFacts(profile),
  ...dateFacts(profile),
  ...semanticFacts(profile),
  ...statisticsOf(profile).map(({ label, text }): [string, string] => [label, text]),
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

function dateFacts({ dates }: FieldProfile): [string, string][] {
  if (!dates) return [];
  const { format, range } = dateWords(dates);
  return [['Dates', format], ...(range === null ? [] : ([['From, to', range]] as [string, string][]))];
}

const semanticFacts = ({ semantic_type: semantics }: FieldProfile): [string, string][] =>
  semantics ? [['Likely', semanticWords(semantics)]] : [];
