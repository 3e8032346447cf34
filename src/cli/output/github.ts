/** Annotations of GitHub Actions. A runner obeys lines of output, so every line here is a command or has none in it. */
import { escaped } from '../../terms/errors.ts';
import type { Form } from './output.ts';
import type { ShownFailure } from '../../rendering/batch.ts';
import type { FileSummary, SharedFinding } from '../../rendering/summary.ts';
import { sharedText } from '../../rendering/sentences.ts';

/** GitHub shows at most 10 annotations of each level a step. */
const MOST_ANNOTATIONS = 10;

const LEVELS = { block: 'error', warn: 'warning', info: 'notice' } as const;
type Level = (typeof LEVELS)[keyof typeof LEVELS];

export const githubForm = (): Form => ({
  batch: ({ file, batch, report: { status, decision } }) =>
    status === 'PASS'
      ? ''
      : annotation(
          status === 'BLOCK' ? 'error' : 'warning',
          { file, title: `${status}, batch ${batch}` },
          decision.reason,
        ),
  file: (summary, batches) => [...verdictLines(summary), batches, ...errorLines(summary.failure)].join(''),
});

function verdictLines(summary: FileSummary): string[] {
  if (summary.worst === null) return [];
  const { worst, verdict, lowestHealth } = summary;
  const file = summary.file!;
  const title = `${verdict}, health ${lowestHealth}, ${summary.size}`;
  if (verdict === 'PASS') return [plain(`${title}: ${file}`)];
  const findings = summary.findings.filter(({ finding }) => finding.severity !== 'info');
  const shown = findings.slice(0, MOST_ANNOTATIONS - 1);
  return [
    annotation(verdict === 'BLOCK' ? 'error' : 'warning', { file, title }, worst.report.decision.reason),
    ...shown.map(shared => findingAnnotation(file, shared, summary)),
  ];
}

function findingAnnotation(file: string, shared: SharedFinding, summary: FileSummary): string {
  const { finding, numbering } = shared;
  const line = numbering === 'line' ? finding.rows[0] : undefined;
  return annotation(
    LEVELS[finding.severity],
    { file, line, title: finding.kind },
    sharedText(shared, summary),
  );
}

const errorLines = (failure: ShownFailure | null): string[] =>
  failure === null
    ? []
    : [
        annotation(
          'error',
          { file: failure.file ?? '-', line: failure.line ?? undefined, title: 'No verdict' },
          failure.message,
        ),
      ];

interface Place {
  file: string;
  line?: number | undefined;
  title: string;
}

function annotation(level: Level, { file, line, title }: Place, text: string): string {
  const properties = [
    ...(file === '-' ? [] : [`file=${property(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${property(title)}`,
  ];
  return plain(`::${level} ${properties.join(',')}::${data(text)}`);
}

const data = (text: string): string => escaped(text).replaceAll('%', '%25');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** `##[` anywhere in a line begins a command of the older form. */
const plain = (line: string): string => `${escaped(line).replaceAll('##[', '# #[')}\n`;
