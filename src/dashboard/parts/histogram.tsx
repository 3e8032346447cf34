/** The distribution of a field's numbers; intervals with outliers are marked. */
import type { Histogram as Counts } from '../contract.ts';
import { figure, grouped } from '../../wording.ts';

interface Props {
  histogram: Counts;
  /** For each interval. */
  isOutlying: readonly boolean[];
  isLarge?: boolean;
}

const HEIGHT = 40;
/** A single value among thousands stays visible, and an outlier more so. */
const MIN_HEIGHT = 1.5;
const MIN_HEIGHT_OUTLYING = 4;

export function Histogram({ histogram: { low, high, counts }, isOutlying, isLarge = false }: Props) {
  const most = Math.max(...counts);
  return (
    <span class={isLarge ? 'histogram large' : 'histogram'}>
      <svg
        viewBox={`0 0 ${counts.length * 10} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Histogram from ${figure(low)} to ${figure(high)}: ${counts.map(grouped).join(', ')}`}
      >
        {counts.map((many, i) => {
          const height =
            many === 0
              ? 0
              : Math.max(
                  isOutlying[i] && !isLarge ? MIN_HEIGHT_OUTLYING : MIN_HEIGHT,
                  (many / most) * HEIGHT,
                );
          return (
            <rect
              key={i}
              class={isOutlying[i] ? 'out' : ''}
              x={i * 10 + 0.5}
              y={HEIGHT - height}
              width={9}
              height={height}
            />
          );
        })}
      </svg>
      <span class="ends">
        <span>{figure(low)}</span>
        <span>{figure(high)}</span>
      </span>
    </span>
  );
}
