/**
 * What the program may say otherwise than it did when the recording was made. Each allowance is a change that was meant: it has a
 * name and a reason, and brings the recorded document, the present one or both into one form. Everything else is a difference.
 */
import type { Entry } from './program.ts';

export interface Allowance {
  name: string;
  /** One sentence. */
  why: string;
  /** The document in the common form; it may be changed in place. */
  apply(entry: Entry, side: 'recorded' | 'now'): Entry;
}

/** Ids of statistics, old → new. */
export const RENAMED_STATISTICS: Readonly<Record<string, string>> = {
  value_mix: 'value_distribution',
  shape_mix: 'format_distribution',
  form_mix: 'character_distribution',
  top_shape_share: 'top_format_share',
  shape_share: 'distinct_format_share',
  reach_up: 'max_distance',
  reach_down: 'min_distance',
  with_wide_share: 'non_ascii_share',
  whole_share: 'integer_share',
  tens_share: 'multiple_of_10_share',
  tenths_share: 'one_decimal_share',
  hundredths_share: 'two_decimal_share',
  repeat_share: 'adjacent_equal_share',
  rise_share: 'adjacent_rising_share',
  pair_share: 'distinct_pair_share',
  length_deviation: 'length_standard_deviation',
};

/** Phrases within sentences, old → new. The longer of two that begin alike comes first. */
export const REWORDED: readonly (readonly [old: string, now: string])[] = [
  ['Unusual mix of values of ', 'Unusual distribution of values of '],
  ['Unusual mix of formats of ', 'Unusual distribution of formats of '],
  ['Unusual mix of kinds of characters of ', 'Unusual distribution of kinds of characters of '],
  ['Unusual share of whole numbers of ', 'Unusual share of integers of '],
];

/** Keys whose values are sentences for people. */
const SENTENCES: ReadonlySet<string> = new Set(['detail', 'reason', 'accept', 'message']);

/** Calls `change` for each string, with the key that it stands under, and puts what it returns in its place. */
function changeTexts(value: unknown, change: (text: string, key: string) => string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    if (typeof each !== 'string') changeTexts(each, change);
    else {
      const changed = change(each, key);
      // By assignment `__proto__`, a name of some payloads, would be lost.
      if (changed !== each) Object.defineProperty(value, key, { ...PLAIN, value: changed });
    }
  }
}

const PLAIN = { writable: true, enumerable: true, configurable: true };

/** What the sentences call statistics whose figures are values of the payload. */
const OF_VALUES =
  'median|mean|lowest sixteenth|lower quartile|upper quartile|highest sixteenth|interquartile range|standard deviation|' +
  'distance of the (?:largest|smallest) number from the median, in widths of the bulk,';
const FIGURES = new RegExp(`(Unusual (?:${OF_VALUES}) of '.*?'): \\S+, usually about [^\\s;]+`, 'g');

const MENDED_LEAK: Allowance = {
  name: 'the leak is mended',
  why: 'Where values are not stored, the reason of a kept job has no figures of an anomaly that the report leaves out.',
  apply(entry, side) {
    const { report } = (entry.kept ?? {}) as { report?: { decision: { reason: string } } };
    if (side === 'recorded' && report)
      report.decision.reason = report.decision.reason.replaceAll(FIGURES, '$1');
    return entry;
  },
};

/** The parts of a report with ragged rows. */
interface Ragged {
  issues?: { ragged_rows?: { severity: string; rate: number } };
  quarantine?: { reasons: { code: string; severity: string }[] };
}

/** By the contract's thresholds of type mismatches. */
const severityOf = (rate: number): string => (rate > 0.2 ? 'critical' : rate > 0.05 ? 'warning' : 'info');

export const ALLOWANCES: readonly Allowance[] = [
  {
    name: 'renamed statistics',
    why: 'Statistics have the field’s standard terms as ids: in anomalies and in what concerns the whole batch.',
    apply(entry) {
      changeTexts(entry, (text, key) => {
        const isId = key === 'statistic' || key === 'code';
        return isId && Object.hasOwn(RENAMED_STATISTICS, text) ? RENAMED_STATISTICS[text]! : text;
      });
      return entry;
    },
  },
  {
    name: 'reworded sentences',
    why: 'What a statistic is called in sentences follows its id.',
    apply(entry) {
      changeTexts(entry, (text, key) =>
        SENTENCES.has(key) ? REWORDED.reduce((words, [old, now]) => words.replaceAll(old, now), text) : text,
      );
      return entry;
    },
  },
  MENDED_LEAK,
  {
    name: 'ragged rows in adaptive mode',
    why: 'The issue says how grave they are by the same thresholds as the verdict; it said `info` beside a verdict of WARN or BLOCK.',
    apply(entry, side) {
      const reports = [entry.answer, (entry.kept as { report?: unknown } | undefined)?.report];
      if (side === 'now' || entry.mode === 'contract') return entry;
      for (const report of reports as (Ragged | undefined)[]) {
        const ragged = report?.issues?.ragged_rows;
        if (!ragged) continue;
        ragged.severity = severityOf(ragged.rate);
        for (const reason of report.quarantine?.reasons ?? [])
          if (reason.code === 'ragged') reason.severity = ragged.severity;
      }
      return entry;
    },
  },
  {
    name: 'messages for people',
    why: 'A refusal is its status and its code, and a call its effect; their words may become plainer, and other tests hold what they say.',
    apply(entry) {
      delete (entry.answer as { message?: string }).message;
      return entry;
    },
  },
];
