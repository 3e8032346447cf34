/** What a report and its profile say of each field, side by side. */
import { type FieldProfile, type Histogram, lookup, type Profile, type Report } from './contract.ts';
import { type Finding, findingsIn } from '../client/findings.ts';

export interface Field {
  name: string;
  type: string;
  /** 0..1 */
  confidence: number;
  /** Null until the job is read, and for a dry run, of which no job is kept. */
  profile: FieldProfile | null;
  /** Absent where there are none. */
  outliers: { count: number; min?: number; max?: number } | undefined;
  findings: Finding[];
}

/** In the order of the report's schema, those with findings first. */
export function fieldsOf(report: Report, profile: Profile | null): Field[] {
  const profiles = lookup(profile?.fields);
  const outliers = lookup(report.issues?.outliers);
  const findings = Map.groupBy(findingsIn(report), ({ field }) => field);
  const fields = Object.entries(report.schema).map(([name, { type, confidence }]) => ({
    name,
    type,
    confidence,
    profile: profiles.get(name) ?? null,
    outliers: outliers.get(name),
    findings: findings.get(name) ?? [],
  }));
  return fields.sort((a, b) => placeOf(a) - placeOf(b));
}

const PLACES: readonly (Finding['severity'] | undefined)[] = ['block', 'warn', 'info', undefined];

/** By its gravest finding, which comes first. */
const placeOf = ({ findings }: Field): number => PLACES.indexOf(findings[0]?.severity);

/** How far outside the quartiles a value is an outlier (Tukey's outer fence), in widths of the middle half. */
const FENCE = 3;

/**
 * Which intervals of a histogram lie beyond the fences. The report has the fences only as what lies outside, and where the
 * middle half has no width they are the baseline's; then no interval is marked.
 */
export function outlying({ low, high, counts }: Histogram, quantiles: Record<string, number>): boolean[] {
  const [lower, upper] = [quantiles['0.25'], quantiles['0.75']];
  if (lower === undefined || upper === undefined || upper <= lower) return counts.map(() => false);
  const reach = FENCE * (upper - lower);
  const width = (high - low) / counts.length;
  return counts.map((_, i) => low + (i + 1) * width < lower - reach || low + i * width > upper + reach);
}
