/** The numbers of a batch as bars, over those that are usual as a grey ground; on one axis, as shares. */
import { figure, percent } from '../../../terms/wording.ts';
import type { Histogram } from '../../contract.ts';
import { sharesIn } from '../../usual.ts';
import { Bars, HEIGHT, MIN_HEIGHT } from './bars.tsx';

const BINS = 24;

interface Props {
  now: Histogram;
  usual: readonly Histogram[];
  isLarge: boolean;
}

export function BothHistograms({ now, usual, isLarge }: Props) {
  const low = Math.min(now.low, ...usual.map(each => each.low));
  const high = Math.max(now.high, ...usual.map(each => each.high));
  const shares = sharesIn([now], low, high, BINS);
  const usualShares = sharesIn(usual, low, high, BINS);
  const most = Math.max(...shares, ...usualShares);
  const height = (share: number) => (share === 0 ? 0 : Math.max(MIN_HEIGHT, (share / most) * HEIGHT));
  const label = `From ${figure(low)} to ${figure(high)}; this batch: ${shares.map(percent).join(', ')}; usual: ${usualShares.map(percent).join(', ')}`;
  return (
    <Bars low={low} high={high} intervals={BINS} label={label} isLarge={isLarge}>
      {usualShares.map((share, i) => (
        <rect
          key={`usual ${i}`}
          class="usual"
          x={i * 10}
          y={HEIGHT - height(share)}
          width={10}
          height={height(share)}
        />
      ))}
      {shares.map((share, i) => (
        <rect key={i} x={i * 10 + 2.5} y={HEIGHT - height(share)} width={5} height={height(share)} />
      ))}
    </Bars>
  );
}
