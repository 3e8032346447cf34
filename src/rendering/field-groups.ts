/** Findings as people read them: field by field. */
import type { Finding } from '../client/findings.ts';
import { quoted } from '../terms/wording.ts';

/** Those of one field together, with a title, in the order of the first of each. */
export const fieldGroups = (findings: readonly Finding[]): [title: string, findings: Finding[]][] =>
  [...Map.groupBy(findings, ({ field }) => field)].map(([field, alike]) => [
    field === null ? 'The whole batch' : quoted(field),
    alike,
  ]);
