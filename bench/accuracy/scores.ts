/** Turns verdicts into figures: how well are good batches separated from bad ones? */

export interface Scored {
  source: string;
  /** Null for a clean batch. */
  damage: string | null;
  /** Higher is worse; 0 is perfect. */
  score: number;
  /** 0 PASS, 1 WARN, 2 BLOCK. */
  level: number;
  /** Whether a damaged field is named; null for a clean batch. */
  named: boolean | null;
}

export interface Accuracy {
  /** Probability that a damaged batch scores worse than a clean one of its source; ties count half. Mean over sources. */
  auc: number;
  /** For WARN or worse, with as many damaged batches as clean ones. */
  f1: number;
  recall: number;
  /** WARN or worse, and BLOCK, per hundred clean batches. */
  clean_warn: number;
  clean_block: number;
  /** Share of damaged batches above the score that 1% and 5% of the clean ones exceed. */
  recall_at_1: number;
  recall_at_5: number;
  /** Share of the damaged batches with an alarm for which a damaged field is named. */
  named: number;
}

export function accuracyOf(all: readonly Scored[]): Accuracy {
  const [clean, bad] = [all.filter(each => each.damage === null), all.filter(each => each.damage !== null)];
  const sources = [...new Set(all.map(each => each.source))];
  const over = (of: (own: (list: readonly Scored[]) => readonly Scored[]) => number): number =>
    mean(sources.map(source => of(list => list.filter(each => each.source === source))));
  const recall = over(own => shareOf(own(bad), isAlarm));
  const false_alarms = over(own => shareOf(own(clean), isAlarm));
  const precision = recall / (recall + false_alarms);
  const alarmed = bad.filter(isAlarm);
  return {
    auc: over(own => areaUnder(own(clean), own(bad))),
    f1: (2 * precision * recall) / (precision + recall),
    recall,
    clean_warn: 100 * shareOf(clean, isAlarm),
    clean_block: 100 * shareOf(clean, each => each.level === 2),
    recall_at_1: recallAt(0.01, clean, bad),
    recall_at_5: recallAt(0.05, clean, bad),
    named: shareOf(alarmed, each => each.named !== false),
  };
}

export const isAlarm = ({ level }: Scored): boolean => level > 0;

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export const shareOf = (all: readonly Scored[], passes: (each: Scored) => boolean): number =>
  all.length === 0 ? Number.NaN : all.filter(passes).length / all.length;

/** The area under the curve of Mann and Whitney's (1947) statistic. */
export function areaUnder(clean: readonly Scored[], bad: readonly Scored[]): number {
  let wins = 0;
  for (const { score } of bad) {
    for (const each of clean) wins += score > each.score ? 1 : score === each.score ? 0.5 : 0;
  }
  return wins / (clean.length * bad.length);
}

function recallAt(rate: number, clean: readonly Scored[], bad: readonly Scored[]): number {
  const scores = clean.map(each => each.score).sort((a, b) => b - a);
  const line = scores[Math.floor(rate * scores.length)]!;
  return shareOf(bad, each => each.score > line);
}
