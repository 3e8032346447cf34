/** A link to a report for people of the account, and the report as a document for everyone else. */
import { base } from '../../api.ts';
import type { JobFeedback, Report } from '../../contract.ts';
import { download } from '../../download.ts';
import { addressOf } from '../../route.ts';
import { type DocumentFormat, reportDocument } from '../../../rendering/document.ts';
import { CopyButton } from '../controls/copy.tsx';

const TYPES: Record<DocumentFormat, [type: string, ending: string]> = {
  html: ['text/html', 'html'],
  markdown: ['text/markdown', 'md'],
};

export function Share({ report, accepted }: { report: Report; accepted: JobFeedback | undefined }) {
  const save = (format: DocumentFormat) => {
    const [type, ending] = TYPES[format];
    download(`report-${report.request_id}.${ending}`, type, reportDocument(report, format, accepted));
  };
  return (
    <details class="share">
      <summary>Share</summary>
      <p>
        <CopyButton text={`${base}/${addressOf({ page: 'job', id: report.request_id })}`} what="the link" />{' '}
        The link opens for people who can sign in to this account. Others get a file:
      </p>
      <div class="actions">
        <button type="button" onClick={() => save('html')}>
          HTML
        </button>
        <button type="button" onClick={() => save('markdown')}>
          Markdown
        </button>
        <button
          type="button"
          onClick={() =>
            download(`report-${report.request_id}.json`, 'application/json', JSON.stringify(report, null, 1))
          }
        >
          JSON
        </button>
      </div>
    </details>
  );
}
