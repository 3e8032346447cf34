/** One report as a document that needs nothing else: to send to people who cannot sign in. */
import type { JobFeedback, Report } from '../client/contract.ts';
import { acceptedText, afterAccept } from './acceptance.ts';
import { htmlForm } from './html.ts';
import { markdownForm } from './markdown.ts';
import { FileSummary } from './summary.ts';

export type DocumentFormat = 'html' | 'markdown';

/** Shows every finding of the report. `accepted`: see `acceptedIn`. */
export function reportDocument(report: Report, format: DocumentFormat, accepted?: JobFeedback): string {
  const { stats, request_id, timestamp } = report;
  const summary = new FileSummary(stats.source);
  summary.add({ file: stats.source, batch: 1, firstRow: 1, lastRow: stats.rows_received, report });
  if (accepted) summary.note = `${acceptedText(accepted)} ${afterAccept(report.status)}`;
  const job = `Job ${request_id}, screened ${timestamp}`;
  if (format === 'markdown') return `${markdownForm(summary.findings.length).file(summary, '')}${job}\n`;
  const form = htmlForm(summary.findings.length);
  return `${form.head()}${form.file(summary, '')}<p>${job}</p>\n`;
}
