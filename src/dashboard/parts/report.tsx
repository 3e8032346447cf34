/** A report: verdict and reason, issues, drift, anomalies and fields. */
import type { Profile, Report } from '../contract.ts';
import { findingsIn } from '../../client/findings.ts';
import { leftOutText } from '../../client/left-out.ts';
import { historyText } from '../gate.ts';
import { addressOf } from '../route.ts';
import { grouped, percent, plural } from '../../wording.ts';
import { dateTime } from '../times.ts';
import { Facts } from './facts.tsx';
import { FieldsTable } from './fields-table.tsx';
import { FindingList } from './finding-list.tsx';
import { Name } from './name.tsx';
import { Panel } from './panel.tsx';
import { VerdictBadge } from './verdict.tsx';

interface Props {
  report: Report;
  profile: Profile | null;
}

export function ReportView({ report, profile }: Props) {
  const parts = Map.groupBy(findingsIn(report), ({ part }) => part);
  const { row_numbers: numbering } = report.stats;
  const history = historyText(report);
  const leftOut = leftOutText(report);
  const issues = parts.get('issues') ?? [];
  const drift = parts.get('drift') ?? [];
  const anomalies = parts.get('anomalies') ?? [];
  return (
    <>
      <VerdictBanner report={report} />
      {leftOut !== null && <p class="faint">Some of this report was {leftOut}.</p>}
      {issues.length > 0 && (
        <Panel title="Issues" aside={plural(issues.length, 'issue')}>
          <FindingList findings={issues} numbering={numbering} isNamed />
        </Panel>
      )}
      {drift.length > 0 && (
        <Panel title="Drift from the baseline" aside={plural(drift.length, 'event')}>
          <FindingList findings={drift} numbering={numbering} />
        </Panel>
      )}
      {(anomalies.length > 0 || history !== null) && (
        <Panel title="Unusual for this source" aside={plural(anomalies.length, 'statistic')}>
          {history !== null && <p>{history}.</p>}
          <FindingList findings={anomalies} numbering={numbering} />
        </Panel>
      )}
      <Panel title="Fields" aside={plural(Object.keys(report.schema).length, 'field')} isFlush>
        <FieldsTable report={report} profile={profile} />
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
      stats.dry_run ? 'nothing was stored' : <code key="id">{request_id}</code>,
    ],
    [
      'Schema',
      <code key="print" title={schema_fingerprint}>
        {schema_fingerprint.slice(0, 12)}
      </code>,
    ],
  ] as const;
