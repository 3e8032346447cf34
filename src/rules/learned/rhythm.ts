/**
 * Some statistics go with the time since the batch before. If old files are screened one after the other, the dates of each are younger than those of
 * the one before it, which says nothing of the files that then come day by day. Such statistics are compared only with batches that came at the same
 * rhythm.
 */
import { RHYTHM_FACTOR, SHORTEST_GAP_MS } from '../../terms/policy.ts';
import type { Reading } from '../../statistics/statistic.ts';
import type { WithHindcast } from './fitted-statistic.ts';
import type { Forecast, Judge } from './forecast.ts';
import type { Arrival, Part } from './part.ts';

const isAlike = (a: Arrival, b: Arrival): boolean => {
  const [one, other] = [Math.max(SHORTEST_GAP_MS, a.gap), Math.max(SHORTEST_GAP_MS, b.gap)];
  return Math.max(one, other) <= RHYTHM_FACTOR * Math.min(one, other);
};

/** Without the batches that came at another rhythm than the newest one. The first one came as the second did, as far as anybody knows. */
export const atRhythm = (
  past: readonly (Reading | null)[],
  moments: readonly Arrival[],
): (Reading | null)[] =>
  past.map((each, i) => (isAlike(moments[Math.max(1, i)] ?? moments[i]!, moments.at(-1)!) ? each : null));

export const withinRhythm = (fitted: WithHindcast, newest: Arrival): WithHindcast => ({
  ...fitted,
  judge: new RhythmJudge(fitted.judge, newest),
});

/** Has no forecast for batches that come at another rhythm than `newest`, and does not learn them. */
class RhythmJudge implements Judge<Part> {
  constructor(
    readonly judge: Judge<Part>,
    readonly newest: Arrival,
  ) {}

  forecast(now: Reading, part: Part): Forecast | null {
    return isAlike(part, this.newest) ? this.judge.forecast(now, part) : null;
  }

  after(reading: Reading, part: Part): RhythmJudge {
    return isAlike(part, this.newest) ? new RhythmJudge(this.judge.after(reading, part), this.newest) : this;
  }
}
