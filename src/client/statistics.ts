/** The statistics of a field's profile, whatever the service measures: a new one needs no change here. Pure. */
import { figure, percent } from '../terms/wording.ts';

export interface FieldStatistic {
  id: string;
  /** For people: `Email share` of `email_share`. */
  label: string;
  value: number;
  /** For people: a share or a rate as a percentage. */
  text: string;
}

/** In the order of the profile; empty if it has none. `profile`: a field of a job's profile. */
export function statisticsOf(profile: object): FieldStatistic[] {
  const { statistics = {} } = profile as { statistics?: Record<string, number> };
  return Object.entries(statistics).map(([id, value]) => ({
    id,
    label: labelOf(id),
    value,
    text: /_(share|rate)$/.test(id) ? percent(value) : figure(value),
  }));
}

function labelOf(id: string): string {
  const words = id.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
