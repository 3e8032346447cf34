/** A report: verdict and reason, issues, drift, anomalies and fields. */
import type { ComponentChildren } from 'preact';
import type { Profile, Report } from '../contract.ts';
import { findingsIn } from '../../client/findings.ts';
import { leftOutText } from '../../client/left-out.ts';
import { historyText } from '../gate.ts';
import { addressOf } from '../route.ts';
import { grouped, percent, plural } from '../../wording.ts';
import { dateTime } from '../times.ts';
import { Facts } from './facts.tsx';
import { FieldsTable } from './fields-table.tsx';
import { HeldRows } from './held-rows.tsx';
import { useUsual } from '../use-usual.ts';
import { FindingList } from './finding-list.tsx';
import { Name } from './name.tsx';
import { Panel } from './panel.tsx';
import { VerdictBadge } from './verdict.tsx';

interface Props {
  report: Report;
  profile: Profile | null;
  /** What can be done, below what differs. */
  steps?: ComponentChildren;
}

export function ReportView({ report, profile, steps }: Props) {
  const findings = findingsIn(report);
  const usual = useUsual(report);
  const history = historyText(report);
  const leftOut = leftOutText(report);
  return (
    <>
      <VerdictBanner report={report} />
      {leftOut !== null && <p class="faint">Some of this report was {leftOut}.</p>}
      {(findings.length > 0 || history !== null) && (
        <Panel title="What differs" aside={plural(findings.length, 'finding')}>
          {history !== null && <p>{history}.</p>}
          <FindingList findings={findings} numbering={report.stats.row_numbers} isNamed />
        </Panel>
      )}
      {steps}
      <HeldRows report={report} />
      <Panel title="Fields" aside={plural(Object.keys(report.schema).length, 'field')} isFlush>
        {usual && (
          <p class="held-about faint">
            {usual.batches === 0
              ? 'No earlier batch to compare with.'
              : `Usual: from the lowest to the highest of ${plural(usual.batches, 'earlier batch', 'earlier batches')} that ${usual.batches === 1 ? 'was' : 'were'} not BLOCKed; their values are grey.`}
          </p>
        )}
        <FieldsTable report={report} profile={profile} usual={usual} />
      </Panel>
    </>
  );
}

const SUMMARIES = {
  PASS: 'This batch can be written.',
  WARN: 'This batch can be written, but check it.',
  BLOCK: 'This batch should not be written.',
};

const VerdictBanner = ({ report }: { report: Report }) => (
  <section class={`banner ${report.status.toLowerCase()}`} aria-label="Verdict">
    <div class="banner-head">
      <VerdictBadge verdict={report.status} isLarge />
      <p class="banner-said">{SUMMARIES[report.status]}</p>
      <p class="banner-health">
        <b>{(report.health_score * 100).toFixed(1)}</b> health of 100
      </p>
    </div>
    <p class="reason">
      <bdi>{report.decision.reason}</bdi>
    </p>
    {report.blocked_since && (
      <p class="reason">
        BLOCKed for the same field since {dateTime(report.blocked_since.timestamp)}:{' '}
        {plural(report.blocked_since.batches, 'batch', 'batches')} with this one.
      </p>
    )}
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
