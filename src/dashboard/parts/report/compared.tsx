/** A measure of a field beside what is usual for it, and what was before a batch was accepted. */
import { type Measure, placeOf, rangeText, type UsualField } from '../../usual.ts';

interface Props {
  measure: Measure | undefined;
  usual: UsualField | undefined;
}

/** The value, and the usual range below it. */
export function Compared({ measure, usual }: Props) {
  if (!measure) return <span class="faint">–</span>;
  const place = placeOf(measure, usual);
  const ranges = [
    rangeOf(measure, usual, usual?.isOver ? 'before' : 'usual'),
    rangeOf(measure, usual?.isOver ? undefined : usual?.before, 'before'),
  ].filter(text => text !== null);
  return (
    <span class={place ? 'compared outside' : 'compared'}>
      <span>
        {measure.text(measure.value)}
        {place && <span class="place"> {place}</span>}
      </span>
      {(ranges.length > 0 ? ranges : [measure.label.toLowerCase()]).map(text => (
        <span key={text} class="faint">
          {text}
        </span>
      ))}
    </span>
  );
}

function rangeOf(measure: Measure, usual: UsualField | undefined, word: string): string | null {
  const range = usual?.ranges.get(measure.label);
  return range ? `${word} ${rangeText(measure, range)}` : null;
}

/** All measures of a field. */
export const ComparedTable = ({ measures, usual }: { measures: readonly Measure[]; usual: UsualField }) => (
  <table class="measures">
    <thead>
      <tr>
        <th scope="col">Measure</th>
        <th scope="col">This batch</th>
        <th scope="col">{usual.isOver ? 'Before' : 'Usual'}: lowest to highest</th>
        {usual.before && <th scope="col">Before: lowest to highest</th>}
      </tr>
    </thead>
    <tbody>
      {measures.map(measure => {
        const place = placeOf(measure, usual);
        return (
          <tr key={measure.label} class={place ? 'outside' : ''}>
            <th scope="row">{measure.label}</th>
            <td>
              {measure.text(measure.value)}
              {place && <span class="place"> {place}</span>}
            </td>
            {[usual, ...(usual.before ? [usual.before] : [])].map(({ ranges }, i) => (
              <td key={i}>
                {ranges.has(measure.label) ? rangeText(measure, ranges.get(measure.label)!) : 'not known'}
              </td>
            ))}
          </tr>
        );
      })}
    </tbody>
  </table>
);
