/** What the recording shows: verdicts by mode, and how often each kind of finding occurs. */
import type { More } from './json-text.ts';
import type { Entry } from './program.ts';

type Json = Record<string, unknown>;
interface Answer {
  status?: string;
  issues?: Json;
  drift?: ({ kind: string; severity: string } | More)[];
  anomalies?: { statistic: string; severity: string; rows?: unknown }[];
  quarantine?: { reasons: ({ code: string } | More)[]; whole_batch: ({ code: string } | More)[] };
  blocked_since?: unknown;
  advice?: unknown;
  stats?: Json;
  gate?: { learning: boolean };
  code?: string;
}

/** The members that the recording has whole. */
const whole = <T extends object>(list: readonly (T | More)[] = []): T[] =>
  list.filter(each => !('more' in each)) as T[];

/** Counts by kind, then by name. */
export function coverage(entries: readonly Entry[]): Map<string, Map<string, number>> {
  const counts = new Map<string, Map<string, number>>();
  const count = (kind: string, name: string): void => {
    const names = counts.get(kind) ?? new Map<string, number>();
    counts.set(kind, names.set(name, (names.get(name) ?? 0) + 1));
  };
  for (const { answer, mode, status, kept, profile } of entries) {
    const { drift, anomalies, quarantine, issues, ...report } = answer as Answer;
    if (status !== 200) count('refused', `${status} ${report.code}`);
    if (!report.stats) continue;
    count('verdict', `${mode} ${report.status}`);
    if (kept) count('kept', mode);
    if (profile) count('profile', mode);
    for (const key of Object.keys(issues ?? {})) count('issue', `${mode} ${key}`);
    for (const event of whole(drift)) count('drift', `${mode} ${event.kind} ${event.severity}`);
    for (const { statistic } of anomalies ?? []) count('statistic', statistic);
    for (const { severity, rows } of anomalies ?? []) count('anomaly', `${severity}${rows ? ' rows' : ''}`);
    for (const { code } of whole(quarantine?.reasons)) count('row code', code);
    for (const { code } of whole(quarantine?.whole_batch)) count('whole batch', code);
    for (const key of ['blocked_since', 'advice'] as const) if (report[key]) count('other', `${mode} ${key}`);
    if (quarantine) count('other', 'quarantine');
    if (anomalies?.length === 50) count('other', '50 anomalies');
    if (report.gate) count('gate', report.gate.learning ? 'learning' : 'learned');
    for (const key of ['pinned', 'dry_run', 'row_numbers', 'untracked_fields'])
      if (report.stats[key]) count('stats', key);
    if ((report.stats.sample_ratio as number) < 1) count('stats', 'sampled');
  }
  return counts;
}
