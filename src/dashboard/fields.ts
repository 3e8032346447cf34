/** Each field with what the report and the profile have about it. */
import {
  type FieldProfile,
  type Histogram,
  lookup,
  type OutlierSummary,
  type Profile,
  type Report,
} from './contract.ts';
import { type Finding, findingsIn } from '../client/findings.ts';

export interface Field {
  name: string;
  type: string;
  /** 0..1 */
  confidence: number;
  /** Null until the job is loaded, and for a dry run, which stores no job. */
  profile: FieldProfile | null;
  /** Undefined if there are none. */
  outliers: OutlierSummary | undefined;
  findings: Finding[];
}

/** The gravest first, and among those of one severity the reasons of the verdict. */
export function findingsOf(report: Report): Finding[] {
  const { reason } = report.decision;
  const isReason = ({ text }: Finding) => reason.includes(text.split('. ')[0]!);
  const bySeverity = Map.groupBy(findingsIn(report), ({ severity }) => severity);
  return [...bySeverity.values()].flatMap(alike => [
    ...alike.filter(isReason),
    ...alike.filter(finding => !isReason(finding)),
  ]);
}

/** Fields with findings first, otherwise in the order of the schema. */
export function fieldsOf(report: Report, profile: Profile | null): Field[] {
  const profiles = lookup(profile?.fields);
  const outliers = lookup(report.issues?.outliers);
  const findings = Map.groupBy(findingsOf(report), ({ field }) => field);
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

/** Tukey's outer fence, in interquartile ranges: values farther outside the quartiles are outliers. */
const FENCE = 3;

/**
 * Which intervals of a histogram lie beyond the fences. The report does not have the fences. With an interquartile range of 0 the
 * service takes them from the baseline, so no interval is marked.
 */
export function outlying({ low, high, counts }: Histogram, quantiles: Record<string, number>): boolean[] {
  const [lower, upper] = [quantiles['0.25'], quantiles['0.75']];
  if (lower === undefined || upper === undefined || upper <= lower) return counts.map(() => false);
  const distance = FENCE * (upper - lower);
  const width = (high - low) / counts.length;
  return counts.map((_, i) => low + (i + 1) * width < lower - distance || low + i * width > upper + distance);
}
