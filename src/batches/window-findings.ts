/** What posts to a window were found to have. */
import type { WindowSoFar } from '../report-schema/report.ts';
import type { CountedFinding } from '../stores/ports.ts';
import type { WindowFinding } from '../threads/post-alone.ts';

/** Of a window, in an answer. */
export const FINDINGS_LISTED = 50;

/** Findings of some posts, each with the number of posts that have it; the gravest first. */
export const countedFindings = (ofPosts: readonly (readonly WindowFinding[])[]): CountedFinding[] =>
  summed(ofPosts.flatMap(findings => summed(findings.map(once)).map(once)));

const once = (finding: WindowFinding): CountedFinding => ({ ...finding, posts: 1 });

function summed(findings: readonly CountedFinding[]): CountedFinding[] {
  const sums = new Map<string, CountedFinding>();
  for (const finding of findings) {
    const { kind, field, rule, severity } = finding;
    const key = JSON.stringify([kind, field, rule, severity]);
    sums.set(key, { ...finding, posts: finding.posts + (sums.get(key)?.posts ?? 0) });
  }
  return [...sums.values()].sort(gravestFirst);
}

const gravestFirst = (a: CountedFinding, b: CountedFinding): number =>
  a.severity === b.severity ? b.posts - a.posts : a.severity === 'block' ? -1 : 1;

/** As answers show them. */
export function listed(findings: readonly CountedFinding[]): Pick<WindowSoFar, 'findings'> {
  const shown = summed(findings)
    .slice(0, FINDINGS_LISTED)
    .map(({ kind, field, rule, severity, posts }) => ({
      kind,
      ...(field !== null && { field }),
      ...(rule !== null && { rule }),
      severity,
      posts,
    }));
  return shown.length > 0 ? { findings: shown } : {};
}
