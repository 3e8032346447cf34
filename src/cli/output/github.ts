/** Annotations of GitHub Actions. A runner obeys lines of output, so every line here is a command or has none in it. */
import { escaped } from '../../terms/errors.ts';
import type { Form } from './output.ts';
import type { ShownBatch } from '../../rendering/batch.ts';
import { findingText } from '../../rendering/sentences.ts';
import { type Finding, findingsIn } from '../../client/findings.ts';
import type { Report } from '../../client/contract.ts';
import { plural } from '../../terms/wording.ts';

/** GitHub shows at most 10 annotations of each level a step. */
const MOST_ANNOTATIONS = 10;

const LEVELS = { block: 'error', warn: 'warning', info: 'notice' } as const;
type Level = (typeof LEVELS)[keyof typeof LEVELS];

export const githubForm = (): Form => ({
  file: result => verdictLines(result).join(''),
  failure: ({ file, line, message }) =>
    annotation('error', { file: file ?? '-', line: line ?? undefined, title: 'No verdict' }, message),
});

function verdictLines({ file, report }: ShownBatch): string[] {
  const { status, health_score, decision, stats } = report;
  const title = `${status}, health ${health_score}, ${plural(stats.rows_received, 'row')}`;
  if (status === 'PASS') return [plain(`${title}: ${file}`)];
  const findings = findingsIn(report).filter(({ severity }) => severity !== 'info');
  return [
    annotation(status === 'BLOCK' ? 'error' : 'warning', { file, title }, decision.reason),
    ...findings.slice(0, MOST_ANNOTATIONS - 1).map(each => findingAnnotation(file, each, stats)),
  ];
}

function findingAnnotation(file: string, finding: Finding, { row_numbers }: Report['stats']): string {
  const { severity, rows, kind } = finding;
  const line = row_numbers === 'line' ? rows[0] : undefined;
  return annotation(LEVELS[severity], { file, line, title: kind }, findingText(finding, row_numbers));
}

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
