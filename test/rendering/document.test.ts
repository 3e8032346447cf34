/** A report as a document of its own. */
import { describe, expect, test } from 'bun:test';
import type { Report } from '../../src/client/contract.ts';
import { acceptedIn } from '../../src/rendering/acceptance.ts';
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
  expect(text.split('\n').filter(line => /^\| .* \| block \| .*Field f\d+ /.test(line))).toHaveLength(
    FINDINGS,
  );
  expect(text).not.toMatch(/(?<!\\)<img|(?<!\\)\[a\]|https:\/\/|@all|\u202e|^# x/m);
});

test('findings of one field are together, the field with the gravest finding first', () => {
  const anomaly = (field: string, severity: 'warn' | 'block', detail: string) => ({
    ...{ field, severity, detail },
    ...{ statistic: 'mean', observed: 1, expected: [0, 0] as [number, number], unusual: 9 },
  });
  const anomalies = [
    anomaly('a', 'warn', 'a is odd'),
    anomaly('b', 'block', 'b is lost'),
    { ...anomaly('*', 'warn', 'few rows'), statistic: 'row_count' },
    anomaly('b', 'warn', 'b is odd'),
  ];
  const { drift: _, ...rest } = report;
  const text = reportDocument({ ...rest, anomalies }, 'markdown');
  expect(text.split('\n').filter(line => /^\| .*(warn|block)/.test(line))).toEqual([
    "| 'b' | block | b is lost |",
    '|  | warn | b is odd |',
    "| 'a' | warn | a is odd |",
    '| The whole batch | warn | few rows |',
  ]);
  const page = reportDocument({ ...rest, anomalies }, 'html');
  const groups = page.split('<tbody>').slice(1);
  expect(groups.map(group => group.match(/rowgroup[^>]*>([^<]*)/)![1])).toEqual([
    "'b'",
    "'a'",
    'The whole batch',
  ]);
  expect(groups[0]).toMatch(/b is lost[\s\S]*b is odd/);
});

describe('a document of an accepted batch', () => {
  const accepted = {
    said: 'accepted',
    by: null,
    at: '2026-11-22T08:00:00.000Z',
    who: `ann ${HOSTILE}`,
  } as const;

  test.each(['html', 'markdown'] as const)('says in %s who accepted it and what follows', format => {
    const text = reportDocument(report, format, accepted);
    expect(text).toContain('Accepted as the new normal by ann');
    expect(text).toContain(
      'on 2026-11-22T08:00:00.000Z. The same batch, posted again, is judged by the new baseline; thresholds and rules hold as before.',
    );
    expect(text).toContain('send them again, with a new idempotency key');
    expect(text).not.toMatch(/(?<!\\)<img|\u202e/);
    expect(reportDocument(report, format)).not.toContain('Accepted');
  });

  test('says nothing of the rows of a WARN, which were loaded', () => {
    const text = reportDocument({ ...report, status: 'WARN' }, 'markdown', accepted);
    expect(text).toContain('judged by the new baseline');
    expect(text).not.toContain('send them again');
  });

  test('says nothing where the accept was undone', () => {
    const undone = { ...accepted, undone_at: '2026-11-22T09:00:00.000Z' };
    expect(acceptedIn([undone])).toBeUndefined();
    expect(acceptedIn([{ ...accepted, said: 'bad' }, accepted])).toBe(accepted);
  });
});
