/** One report as a document that needs nothing else: to send to people who cannot sign in. */
import type { JobFeedback, Report } from '../client/contract.ts';
import { findingsIn } from '../client/findings.ts';
import { acceptedText, afterAccept } from './acceptance.ts';
import { htmlForm } from './html.ts';
import { markdownForm } from './markdown.ts';

export type DocumentFormat = 'html' | 'markdown';

/** Shows every finding of the report. `accepted`: see `acceptedIn`. */
export function reportDocument(report: Report, format: DocumentFormat, accepted?: JobFeedback): string {
  const { stats, request_id, timestamp } = report;
  const note = accepted && `${acceptedText(accepted)} ${afterAccept(report.status)}`;
  const batch = { file: stats.source, report, ...(note !== undefined && { note }) };
  const mostFindings = findingsIn(report).length;
  const job = `Job ${request_id}, screened ${timestamp}`;
  if (format === 'markdown') return `${markdownForm(mostFindings).file(batch)}${job}\n`;
  const form = htmlForm(mostFindings);
  return `${form.head()}${form.file(batch)}<p>${job}</p>\n`;
}
