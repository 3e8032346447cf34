/** All sources, with recent verdicts and a button to reset the baseline. */
import { baselines, statistics } from '../api.ts';
import type { BaselineEntry, SourceStatistics } from '../contract.ts';
import { NoBatches } from '../parts/empty.tsx';
import { Name } from '../parts/name.tsx';
import { useState } from 'preact/hooks';
import { Page } from '../parts/page.tsx';
import { Panel } from '../parts/panel.tsx';
import { RecentJobs } from '../parts/recent-jobs.tsx';
import { ResetButton } from '../parts/reset.tsx';
import { StatusMessage } from '../parts/status-message.tsx';
import { Ago } from '../parts/time.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { WhenLoaded } from '../parts/when-loaded.tsx';
import { addressOf } from '../route.ts';
import { useLoaded } from '../use-loaded.ts';
import { grouped, plural, shortened } from '../../wording.ts';

/** The longest period of the statistics. */
const DAYS = 365;

interface Source {
  name: string;
  /** Null if no job of the source is left, or if it is not among the 1,000 that were screened last. */
  totals: SourceStatistics | null;
  baseline: BaselineEntry | null;
}

export function Sources() {
  const [loaded, again] = useLoaded(loadSources, []);
  const [message, setMessage] = useState('');
  const wasReset = (name: string) => {
    setMessage(`The baseline of ${shortened(name, 64)} is reset. Its next batch makes a new one.`);
    again();
  };
  return (
    <Page title="Sources">
      <StatusMessage text={message} />
      <WhenLoaded what="the sources" loaded={loaded} again={again} rows={8}>
        {sources =>
          sources.length === 0 ? (
            <NoBatches title="A source appears with its first batch" />
          ) : (
            <Panel title={plural(sources.length, 'source')} isFlush>
              <VirtualTable
                class="sources"
                label="Sources"
                items={sources}
                keyOf={({ name, totals }) => `${totals?.lastRun} ${name}`}
                columns={columns(wasReset)}
              />
            </Panel>
          )
        }
      </WhenLoaded>
    </Page>
  );
}

/** Sources with jobs, newest run first, then sources with only a baseline. */
async function loadSources(signal: AbortSignal): Promise<Source[]> {
  const [{ sources }, known] = await Promise.all([statistics(DAYS, signal), baselines(signal)]);
  const byName = new Map(known.map(entry => [entry.source, entry]));
  const withJobs = new Set(sources.map(({ source }) => source));
  return [
    ...sources.map(totals => ({ name: totals.source, totals, baseline: byName.get(totals.source) ?? null })),
    ...known
      .filter(({ source }) => !withJobs.has(source))
      .map(baseline => ({ name: baseline.source, totals: null, baseline })),
  ];
}

const LastRun = ({ at }: { at: string | null | undefined }) => (at ? <Ago at={at} /> : <>–</>);

const columns = (wasReset: (name: string) => void): Column<Source>[] => [
  {
    title: 'Source',
    class: 'c-name',
    cell: ({ name }) => (
      <a href={addressOf({ page: 'source', source: name })}>
        <Name text={name} />
      </a>
    ),
  },
  {
    title: 'Last verdicts',
    class: 'c-recent',
    cell: ({ name, totals, baseline }) =>
      totals || baseline?.last_seen ? <RecentJobs source={name} /> : <span class="faint">no jobs</span>,
  },
  { title: 'Batches', class: 'c-number', cell: ({ totals }) => (totals ? grouped(totals.totalJobs) : '–') },
  { title: 'Drift', class: 'c-number', cell: ({ totals }) => (totals ? grouped(totals.totalDrift) : '–') },
  {
    title: 'Baseline',
    class: 'c-baseline',
    cell: ({ baseline }) =>
      baseline ? plural(baseline.batches, 'batch', 'batches') : <span class="faint">none</span>,
  },
  {
    title: 'Last run',
    class: 'c-when',
    cell: ({ totals, baseline }) => <LastRun at={totals?.lastRun ?? baseline?.last_seen} />,
  },
  {
    title: 'Actions',
    class: 'c-actions',
    cell: ({ name }) => <ResetButton source={name} done={() => wasReset(name)} />,
  },
];
