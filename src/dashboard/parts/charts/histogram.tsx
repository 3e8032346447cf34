/** The distribution of a field's numbers; intervals with outliers are marked. */
import { figure, grouped } from '../../../terms/wording.ts';
import type { Histogram as Counts } from '../../contract.ts';
import { Bars, HEIGHT, MIN_HEIGHT } from './bars.tsx';

interface Props {
  histogram: Counts;
  /** For each interval. */
  isOutlying: readonly boolean[];
  isLarge?: boolean;
}

/** An outlier must be seen among thousands of values. */
const MIN_HEIGHT_OUTLYING = 4;

export function Histogram({ histogram: { low, high, counts }, isOutlying, isLarge = false }: Props) {
  const most = Math.max(...counts);
  const heightOf = (many: number, i: number): number => {
    const least = isOutlying[i] && !isLarge ? MIN_HEIGHT_OUTLYING : MIN_HEIGHT;
    return many === 0 ? 0 : Math.max(least, (many / most) * HEIGHT);
  };
  const label = `Histogram from ${figure(low)} to ${figure(high)}: ${counts.map(grouped).join(', ')}`;
  return (
    <Bars low={low} high={high} intervals={counts.length} label={label} isLarge={isLarge}>
      {counts.map((many, i) => (
        <rect
          key={i}
          class={isOutlying[i] ? 'out' : ''}
          x={i * 10 + 0.5}
          y={HEIGHT - heightOf(many, i)}
          width={9}
          height={heightOf(many, i)}
        />
      ))}
    </Bars>
  );
}
