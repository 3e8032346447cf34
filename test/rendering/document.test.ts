/** A report as a document of its own. */
import { expect, test } from 'bun:test';
import type { Report } from '../../src/client/contract.ts';
import { reportDocument } from '../../src/rendering/document.ts';

const HOSTILE = '<img src=x onerror=alert(1)>|[a](https://evil.example)`@all\u202e\n# x';
const FINDINGS = 300;

const report: Report = {
  request_id: 'req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A',
  batch_id: 'req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A',
  status: 'BLOCK',
  health_score: 0.4,
  decision: { action: 'BLOCK', reason: `Reason ${HOSTILE}` },
  schema: {},
  schema_fingerprint: '0'.repeat(64),
  drift: Array.from({ length: FINDINGS }, (_, i) => ({
    field: `f${i}`,
    kind: 'field_removed' as const,
    severity: 'block' as const,
    detail: `Field f${i} ${HOSTILE}`,
  })),
  stats: { rows_received: 12, rows_sampled: 12, sample_ratio: 1, source: HOSTILE },
  latency_ms: 1,
  timestamp: '2026-11-21T12:00:00.000Z',
};

test('HTML has every finding, nothing from elsewhere, and no markup of the data', () => {
  const page = reportDocument(report, 'html');
  for (let i = 0; i < FINDINGS; i++) expect(page).toContain(`Field f${i} &lt;img`);
  expect(page).toContain("default-src 'none'");
  expect(page).not.toMatch(/<(img|script|link|iframe)|\u202e/);
  expect(page).toContain('Job req_01M7ZC3YD9BDKWCZ8SY1Y7WY1A, screened 2026-11-21T12:00:00.000Z');
});

test('Markdown has every finding, in one line each, and no markup of the data', () => {
  const text = reportDocument(report, 'markdown');
  expect(text.split('\n').filter(line => /^\| block \| .*Field f\d+ /.test(line))).toHaveLength(FINDINGS);
  expect(text).not.toMatch(/(?<!\\)<img|(?<!\\)\[a\]|https:\/\/|@all|\u202e|^# x/m);
});
