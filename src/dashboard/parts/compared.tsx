/** A measure of a field beside what is usual for it. */
import { type Measure, placeOf, rangeText, type UsualField } from '../usual.ts';

interface Props {
  measure: Measure | undefined;
  usual: UsualField | undefined;
}

/** The value, and the usual range below it. */
export function Compared({ measure, usual }: Props) {
  if (!measure) return <span class="faint">–</span>;
  const range = usual?.ranges.get(measure.label);
  const place = placeOf(measure, usual);
  return (
    <span class={place ? 'compared outside' : 'compared'}>
      <span>
        {measure.text(measure.value)}
        {place && <span class="place"> {place}</span>}
      </span>
      <span class="faint">{range ? `usual ${rangeText(measure, range)}` : measure.label.toLowerCase()}</span>
    </span>
  );
}

/** All measures of a field. */
export const ComparedTable = ({ measures, usual }: { measures: readonly Measure[]; usual: UsualField }) => (
  <table class="measures">
    <thead>
      <tr>
        <th scope="col">Measure</th>
        <th scope="col">This batch</th>
        <th scope="col">Usual: lowest to highest</th>
      </tr>
    </thead>
    <tbody>
      {measures.map(measure => {
        const range = usual.ranges.get(measure.label);
        const place = placeOf(measure, usual);
        return (
          <tr key={measure.label} class={place ? 'outside' : ''}>
            <th scope="row">{measure.label}</th>
            <td>
              {measure.text(measure.value)}
              {place && <span class="place"> {place}</span>}
            </td>
            <td>{range ? rangeText(measure, range) : 'not known'}</td>
          </tr>
        );
      })}
    </tbody>
  </table>
);
