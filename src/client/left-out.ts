/** What a report leaves out because it would be too long, for people. */
import { plural } from '../terms/wording.ts';
import type { Report } from './contract.ts';

const NOUNS = {
  schema: 'field of the schema',
  issues: 'issue',
  drift: 'drift event',
  anomalies: 'anomaly',
  quarantine: 'reason in quarantine',
  untracked_fields: 'untracked field',
} as const satisfies Record<keyof NonNullable<Report['stats']['left_out']>, string>;

const MANY: Partial<Record<keyof typeof NOUNS, string>> = {
  schema: 'fields of the schema',
  anomalies: 'anomalies',
  quarantine: 'reasons in quarantine',
};

/** `left out, because the report would be too long: 1,259 issues, 12 drift events`; null where nothing is left out. */
export function leftOutText({ stats: { left_out } }: Pick<Report, 'stats'>): string | null {
  if (left_out === undefined) return null;
  const counts = (Object.keys(NOUNS) as (keyof typeof NOUNS)[]).flatMap(list => {
    const count = left_out[list];
    return count === undefined ? [] : [plural(count, NOUNS[list], MANY[list])];
  });
  return `left out, because the report would be too long: ${counts.join(', ')}`;
}
