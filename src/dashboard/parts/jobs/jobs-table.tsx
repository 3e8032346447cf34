import type { Job } from '../../contract.ts';
import { addressOf } from '../../route.ts';
import { grouped } from '../../../terms/wording.ts';
import { Health } from '../values/health.tsx';
import { Name } from '../values/name.tsx';
import { Ago } from '../values/time.tsx';
import { VerdictBadge } from '../values/verdict.tsx';
import { type Column, VirtualTable } from '../controls/virtual-table.tsx';

const COLUMNS: Column<Job>[] = [
  { title: 'Verdict', class: 'c-verdict', cell: ({ status }) => <VerdictBadge verdict={status} /> },
  {
    title: 'Source',
    class: 'c-name',
    cell: ({ id, source }) => (
      <a href={addressOf({ page: 'job', id })}>
        <Name text={source} />
      </a>
    ),
  },
  { title: 'Health', class: 'c-health', cell: ({ health_score }) => <Health value={health_score} /> },
  { title: 'Rows', class: 'c-number', cell: ({ rows_received }) => grouped(rows_received) },
  {
    title: 'Drift',
    class: 'c-drift',
    cell: ({ drift_count }) => (drift_count === 0 ? <span class="faint">none</span> : grouped(drift_count)),
  },
  { title: 'Took', class: 'c-took', cell: ({ latency_ms }) => `${grouped(latency_ms)} ms` },
  { title: 'When', class: 'c-when', cell: ({ created_at }) => <Ago at={created_at} /> },
];

export const JobsTable = ({ jobs, label }: { jobs: readonly Job[]; label: string }) => (
  <VirtualTable class="jobs" label={label} items={jobs} keyOf={({ id }) => id} columns={COLUMNS} />
);
