/** A report: verdict and reason, issues, drift, anomalies and fields. */
import type { ComponentChildren } from 'preact';
import { acceptedIn, acceptedText } from '../../../rendering/acceptance.ts';
import type { Job, JobFeedback, Profile, Report } from '../../contract.ts';
import { findingsOf } from '../../fields.ts';
import { leftOutText } from '../../../client/left-out.ts';
import { historyText } from '../../gate.ts';
import { addressOf } from '../../route.ts';
import { grouped, percent, plural } from '../../../terms/wording.ts';
import { dateTime, withLocalTimes } from '../../times.ts';
import { Facts } from '../values/facts.tsx';
import { FieldsTable } from './fields-table.tsx';
import { HeldRows } from './held-rows.tsx';
import { type Past, useUsual } from '../../use-usual.ts';
import { FindingList } from './finding-list.tsx';
import { Name } from '../values/name.tsx';
import { Panel } from '../frame/panel.tsx';
import { Since } from './since.tsx';
import { VerdictBadge } from '../values/verdict.tsx';

interface Props {
  report: Report;
  profile: Profile | null;
  /** What was said of the batch. */
  feedback?: readonly JobFeedback[];
  /** What can be done: seen without scrolling where the batch did not pass. */
  steps?: ComponentChildren;
}

export function ReportView({ report, profile, feedback = [], steps }: Props) {
  const accepted = acceptedIn(feedback);
  const findings = findingsOf(report);
  const past = useUsual(report, accepted !== undefined);
  const usual = past?.usual ?? null;
  const isPassed = report.status === 'PASS';
  const history = historyText(report);
  const leftOut = leftOutText(report);
  return (
    <>
      <VerdictBanner report={report} feedback={feedback} earlier={past?.earlier ?? null} />
      {!isPassed && steps}
      {leftOut !== null && <p class="faint">Some of this report was {leftOut}.</p>}
      {(findings.length > 0 || history !== null) && (
        <Panel title="What differs" aside={plural(findings.length, 'finding')}>
          {history !== null && <p>{history}.</p>}
          <FindingList findings={findings} numbering={report.stats.row_numbers} isByField />
        </Panel>
      )}
      {isPassed && steps}
      <HeldRows report={report} />
      <Panel title="Fields" aside={plural(Object.keys(report.schema).length, 'field')} isFlush>
        {usual && (
          <p class="held-about faint">
            {usual.batches === 0
              ? 'No earlier batch to compare with.'
              : `Usual: from the lowest to the highest of ${plural(usual.batches, 'earlier batch', 'earlier batches')} that ${usedText(past!)}; their values are grey.`}
            {past?.accept &&
              ` Where the batch that ${past.accept.by} accepted on ${dateTime(past.accept.at)} differed, usual is that batch and what came since; before is what was usual until then.`}
            {accepted && ' Where it differed, this batch is usual now; before is what was usual until then.'}
          </p>
        )}
        <FieldsTable report={report} profile={profile} usual={usual} />
      </Panel>
    </>
  );
}

const usedText = ({ earlier, accept }: Past): string => {
  const passed = earlier.some(({ status }) => status === 'PASS');
  return `${passed ? 'passed' : 'did not pass, but were not BLOCKed'}${accept ? ' or were accepted' : ''}`;
};

const SUMMARIES = {
  PASS: 'This batch can be written.',
  WARN: 'This batch can be written, but check it.',
  BLOCK: 'This batch should not be written.',
};

function summaryOf({ status }: Report, feedback: readonly JobFeedback[]): string {
  const accepted = acceptedIn(feedback);
  if (accepted) return acceptedText(accepted, dateTime(accepted.at));
  const said = feedback.findLast(each => !each.undone_at)?.said;
  if (said === 'bad') return 'Marked as bad: its rows should not be written.';
  const isExpected = status === 'BLOCK' && said === 'expected';
  return isExpected ? 'Marked as expected: its rows can be written.' : SUMMARIES[status];
}

interface BannerProps {
  report: Report;
  feedback: readonly JobFeedback[];
  earlier: readonly Job[] | null;
}

const VerdictBanner = ({ report, feedback, earlier }: BannerProps) => (
  <section class={`banner ${report.status.toLowerCase()}`} aria-label="Verdict">
    <div class="banner-head">
      <VerdictBadge verdict={report.status} isLarge />
      <p class="banner-said">{summaryOf(report, feedback)}</p>
      <p class="banner-health">
        <b>{(report.health_score * 100).toFixed(1)}</b> health of 100
      </p>
    </div>
    <p class="reason">
      <bdi>{withLocalTimes(report.decision.reason)}</bdi>
    </p>
    <Since report={report} earlier={earlier} />
    <Facts facts={factsOf(report)} />
  </section>
);

const factsOf = ({ stats, latency_ms, timestamp, schema_fingerprint, request_id }: Report) =>
  [
    [
      'Source',
      <a key="source" href={addressOf({ page: 'source', source: stats.source })}>
        <Name text={stats.source} />
      </a>,
    ],
    ['Rows', grouped(stats.rows_received)],
    [
      'Values measured in',
      stats.sample_ratio === 1
        ? 'all rows'
        : `${grouped(stats.rows_sampled)} rows (${percent(stats.sample_ratio)})`,
    ],
    ['Took', `${grouped(latency_ms)} ms`],
    ['Screened', dateTime(timestamp)],
    [
      stats.dry_run ? 'Dry run' : 'Job',
      stats.dry_run ? (
        'nothing was stored'
      ) : (
        <a key="id" href={addressOf({ page: 'job', id: request_id })}>
          <code>{request_id}</code>
        </a>
      ),
    ],
    [
      'Schema',
      <code key="print" title={schema_fingerprint}>
        {schema_fingerprint.slice(0, 12)}
      </code>,
    ],
  ] as const;
