/** JUnit XML, which CI servers show as test results: a suite of one test for each file. */
import { findingsIn } from '../../client/findings.ts';
import { type FailOn, type Form, isStopped } from './output.ts';
import type { ShownBatch, ShownFailure } from '../../rendering/batch.ts';
import { findingText } from '../../rendering/sentences.ts';

export const junitForm = (failOn: FailOn): Form => ({
  head: () => '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="sluice">\n',
  file: result => fileSuite(result, failOn),
  failure: errorSuite,
  tail: () => '</testsuites>\n',
});

function fileSuite({ file, report }: ShownBatch, failOn: FailOn): string {
  const { status, decision, health_score, stats } = report;
  const lines = findingsIn(report).map(
    finding => `${finding.severity}: ${findingText(finding, stats.row_numbers)}`,
  );
  const text = content([`${status}, health ${health_score}`, ...lines].join('\n'));
  const isFailure = isStopped(status, failOn);
  const outcome = isFailure
    ? `<failure type="${status}" message="${attribute(decision.reason)}">${text}</failure>`
    : `<system-out>${text}</system-out>`;
  // CI servers follow a test by its name, so the name has nothing that changes from run to run.
  const only = testCase(file, `source ${stats.source}`, outcome);
  return suite(file, { failures: isFailure ? 1 : 0, errors: 0 }, only);
}

function errorSuite({ file, shown }: ShownFailure): string {
  const name = file ?? 'sluice';
  const error = `<error type="error" message="${attribute(shown)}"/>`;
  return suite(name, { failures: 0, errors: 1 }, testCase(name, 'reads to its end', error));
}

const suite = (name: string, { failures, errors }: Record<'failures' | 'errors', number>, only: string) =>
  `  <testsuite name="${attribute(name)}" tests="1" failures="${failures}" errors="${errors}">\n${only}  </testsuite>\n`;

const testCase = (file: string, title: string, outcome: string): string =>
  `    <testcase classname="${attribute(file)}" name="${attribute(title)}">${outcome}</testcase>\n`;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML has no way to write most control characters, surrogates and U+FFFE, U+FFFF. */
const content = (text: string): string =>
  text
    .replace(/[^\n\t\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, character => ENTITIES[character]!);

const attribute = (text: string): string => content(text).replace(/[\n\t]/g, ' ');
