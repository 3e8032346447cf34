/** The settings of a source in words. */
import { grouped, percent, plural } from '../terms/wording.ts';
import type { SourceSettings } from './contract.ts';
import { dateTime } from './times.ts';

type ThresholdName = keyof SourceSettings['effective']['thresholds'];

/** Labels of the fields for thresholds. The names of the API say less, and a screen reader spells them. */
export const THRESHOLD_LABELS: ReadonlyMap<string, string> = new Map<ThresholdName, string>([
  ['null_rate_warn', 'WARN above this share of nulls'],
  ['null_rate_block', 'BLOCK above this share of nulls'],
  ['type_mismatch_warn', 'WARN above this share of other types'],
  ['type_mismatch_block', 'BLOCK above this share of other types'],
  ['health_warn', 'WARN below this health'],
  ['health_block', 'BLOCK below this health'],
]);

/** One sentence each. */
export function settingsWords({
  mode,
  signs,
  effective,
  updated_at,
  updated_by,
  window,
  owner,
  tags,
}: SourceSettings): string[] {
  const { thresholds, false_alarm_rate: rate, settle_after } = effective;
  const at = (name: string) => percent((thresholds as Record<string, number>)[name]!);
  const isContract = effective.mode !== 'adaptive';
  const until = effective.mode === 'auto' ? ' until three batches of it were seen' : '';
  return [
    `It is judged by its own history${isContract ? ` and by fixed thresholds${until}` : ''}${mode === null ? ', as the server does by default' : ''}.`,
    ...(isContract
      ? [
          `Above ${at('null_rate_warn')} nulls a field is a WARN, above ${at('null_rate_block')} a BLOCK. Above ${at('type_mismatch_warn')} values of another type it is a WARN, above ${at('type_mismatch_block')} a BLOCK.`,
        ]
      : []),
    `About one clean batch in ${grouped(Math.round(1 / rate))} may be a WARN.`,
    settle_after === 'never'
      ? 'A lasting change becomes the normal only when somebody accepts it.'
      : `A lasting change becomes the normal after ${settle_after} batches that agree, or when somebody accepts it.`,
    ...(signs === null ? [] : [signsWords(effective.signs)]),
    ...(window
      ? [
          `Its posts are judged alone, and together as one batch, which ends with ${grouped(window.rows)} rows or after ${plural(window.ms / 1000, 'second')}.`,
        ]
      : []),
    ...(owner ? [`Its owner is ${owner}.`] : []),
    ...(tags ? [`Its tags: ${tags.join(', ')}.`] : []),
    ...(updated_at ? [`Changed on ${dateTime(updated_at)} by ${changedBy(updated_by)}.`] : []),
  ];
}

const signsWords = (signs: readonly string[]): string =>
  signs.length === 0
    ? 'No signs of damaged values are looked for.'
    : `Signs of damaged values that are looked for: ${signs.join(', ')}.`;

const changedBy = (key: unknown): string =>
  typeof key === 'string' ? `the API key ${key}` : 'a person who was signed in';

const NAMES = [
  ['mode', 'how the source is judged'],
  ['thresholds', 'its thresholds'],
  ['false_alarm_rate', 'its false_alarm_rate'],
  ['settle_after', 'its settle_after'],
  ['signs', 'its signs of damage'],
  ['window', 'its window'],
  ['owner', 'its owner'],
  ['tags', 'its tags'],
] as const;

/** Names the settings that differ between two reads, as the object of a sentence. */
export function changedWords(before: SourceSettings, now: SourceSettings): string {
  const changed = NAMES.filter(([name]) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
  return changed.map(([, words]) => words).join(', ') || 'these settings';
}
