/** JUnit XML, which CI servers show as test results: a suite for each file, a test for the file or for each batch. */
import { findingsIn } from '../../client/findings.ts';
import { grouped } from '../../terms/wording.ts';
import type { FileResult } from '../screening/named-batch.ts';
import { type FailOn, type Form, isStopped } from './output.ts';
import type { ShownBatch } from '../../rendering/batch.ts';
import type { FileSummary } from '../../rendering/summary.ts';
import { findingText, sharedText } from '../../rendering/sentences.ts';

export const junitForm = (failOn: FailOn): Form => ({
  head: () => '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sluice">\n',
  batch: result => batchCase(result, failOn),
  file: (summary, batches) => suite(summary, batches, failOn),
  tail: () => '</testsuites>\n',
});

function suite(summary: FileSummary, batches: string, failOn: FailOn): string {
  const name = attribute(summary.file ?? 'sluice');
  const stopped = isStopped(summary.verdict, failOn);
  const { PASS, WARN, BLOCK } = summary.counts;
  const ofBatches = { tests: PASS + WARN + BLOCK, failures: BLOCK + (failOn === 'warn' ? WARN : 0) };
  const ofFile = { tests: Math.min(1, summary.batches), failures: stopped ? 1 : 0 };
  const { tests, failures } = batches === '' ? ofFile : ofBatches;
  const errors = summary.failure === null ? 0 : 1;
  const counts = `tests="${tests + errors}" failures="${failures}" errors="${errors}"`;
  const cases = batches === '' ? fileCase(summary, failOn) : batches;
  return `  <testsuite name="${name}" ${counts}>\n${cases}${errorCase(summary)}  </testsuite>\n`;
}

function errorCase({ file, failure }: FileSummary): string {
  if (failure === null) return '';
  const error = `<error type="error" message="${attribute(failure.shown)}"/>`;
  return testCase(file ?? 'sluice', 'reads to its end', error);
}

function fileCase(summary: FileSummary, failOn: FailOn): string {
  if (summary.worst === null) return '';
  const lines = summary.findings.map(shared => `${shared.finding.severity}: ${sharedText(shared, summary)}`);
  // CI servers follow a test by its name, so the name has nothing that changes from run to run.
  return resultCase(summary.worst, `source ${summary.worst.report.stats.source}`, lines, failOn);
}

function batchCase(result: FileResult, failOn: FailOn): string {
  const { report, batch, firstRow, lastRow } = result;
  const title = `batch ${grouped(batch)}, rows ${grouped(firstRow)}–${grouped(lastRow)}`;
  const lines = findingsIn(report).map(
    finding => `${finding.severity}: ${findingText(finding, report.stats.row_numbers)}`,
  );
  return resultCase(result, title, lines, failOn);
}

function resultCase({ file, report }: ShownBatch, title: string, lines: string[], failOn: FailOn): string {
  const { status, decision, health_score } = report;
  const text = content([`${status}, health ${health_score}`, ...lines].join('\n'));
  const outcome = isStopped(status, failOn)
    ? `<failure type="${status}" message="${attribute(decision.reason)}">${text}</failure>`
    : `<system-out>${text}</system-out>`;
  return testCase(file, title, outcome);
}

const testCase = (file: string, title: string, outcome: string): string =>
  `    <testcase classname="${attribute(file)}" name="${attribute(title)}">${outcome}</testcase>\n`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML has no way to write most control characters, surrogates and U+FFFE, U+FFFF. */
const content = (text: string): string =>
  text
    .replace(/[^\n\t\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, character => ENTITIES[character]!);

const attribute = (text: string): string => content(text).replace(/[\n\t]/g, ' ');
