/** All sources, to search, sort and filter. */
import { useMemo, useState } from 'preact/hooks';
import { baselines, openIncidents, statistics } from '../api.ts';
import { NoBatches } from '../parts/frame/empty.tsx';
import { Menu } from '../parts/controls/menu.tsx';
import { Name, nameText } from '../parts/values/name.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Panel } from '../parts/frame/panel.tsx';
import { RecentJobs } from '../parts/source/recent-jobs.tsx';
import { ResetDialog } from '../parts/source/reset.tsx';
import { SourceFilters } from '../parts/source/source-filters.tsx';
import { StatusMessage } from '../parts/frame/status-message.tsx';
import { Ago } from '../parts/values/time.tsx';
import { VerdictBadge } from '../parts/values/verdict.tsx';
import { type Column, VirtualTable } from '../parts/controls/virtual-table.tsx';
import { WhenLoaded } from '../parts/frame/when-loaded.tsx';
import { addressOf, jobsOf, sources as allSources } from '../route.ts';
import { type Choice, choiceIn, joined, queryOf, shownOf, type Source } from '../source-list.ts';
import { useLoaded } from '../use-loaded.ts';
import { replace } from '../use-route.ts';
import { compact, grouped, plural } from '../../terms/wording.ts';

/** The longest period of the statistics. */
const DAYS = 365;

export function Sources({ query }: { query: string }) {
  const [loaded, again] = useLoaded(loadSources, []);
  const [message, setMessage] = useState('');
  const [resetting, setResetting] = useState<string | null>(null);
  const choice = useMemo(() => choiceIn(query), [query]);
  const choose = (next: Choice) => replace({ page: 'sources', query: queryOf(next) });
  const wasReset = () => {
    setMessage(`The baseline of ${nameText(resetting!, 64)} is reset. Its next batch makes a new one.`);
    setResetting(null);
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
            <List sources={sources} choice={choice} choose={choose} reset={setResetting} />
          )
        }
      </WhenLoaded>
      {resetting !== null && (
        <ResetDialog source={resetting} done={wasReset} close={() => setResetting(null)} />
      )}
    </Page>
  );
}

async function loadSources(signal: AbortSignal): Promise<Source[]> {
  const [{ sources }, known, open] = await Promise.all([
    statistics(DAYS, signal),
    baselines(signal),
    openIncidents(signal),
  ]);
  return joined(sources, known, open);
}

interface ListProps {
  sources: readonly Source[];
  choice: Choice;
  choose: (choice: Choice) => void;
  reset: (source: string) => void;
}

function List({ sources, choice, choose, reset }: ListProps) {
  const shown = useMemo(() => shownOf(sources, choice), [sources, choice]);
  const columns = useMemo(() => columnsOf(reset), []);
  const all = plural(sources.length, 'source');
  return (
    <Panel title={shown.length === sources.length ? all : `${grouped(shown.length)} of ${all}`} isFlush>
      <SourceFilters sources={sources} choice={choice} choose={choose} />
      {shown.length === 0 ? (
        <p class="empty">
          No source matches. <a href={addressOf(allSources())}>Show all sources</a>
        </p>
      ) : (
        <VirtualTable
          class="sources"
          label="Sources"
          items={shown}
          keyOf={({ name, totals }) => `${totals?.lastRun} ${name}`}
          columns={columns}
        />
      )}
    </Panel>
  );
}

const number = (value: number | undefined, shown = grouped) => (value === undefined ? '–' : shown(value));

const NAME: Column<Source> = {
  title: 'Source',
  class: 'c-name',
  cell: ({ name, baseline }) => (
    <>
      <a href={addressOf({ page: 'source', source: name })}>
        <Name text={name} />
      </a>
      {(baseline?.owner || baseline?.tags) && (
        <span class="c-owned">
          <bdi>{[baseline.owner, ...(baseline.tags ?? [])].filter(Boolean).join(' · ')}</bdi>
        </span>
      )}
    </>
  ),
};

const LAST_VERDICTS: Column<Source> = {
  title: 'Last verdicts',
  class: 'c-recent',
  cell: ({ name, totals, baseline }) =>
    totals ? (
      <span class="recent">
        <VerdictBadge verdict={totals.lastStatus} />
        <RecentJobs source={name} />
      </span>
    ) : (
      <span class="faint">{baseline?.last_seen ? 'not known' : 'no jobs'}</span>
    ),
};

const columnsOf = (reset: (source: string) => void): Column<Source>[] => [
  NAME,
  LAST_VERDICTS,
  {
    title: 'Incident',
    class: 'c-incident',
    cell: ({ incident }) =>
      incident ? (
        <>
          {incident.accepted_at ? 'accepted' : 'open since'}{' '}
          <Ago at={incident.accepted_at ?? incident.opened_at} />
        </>
      ) : (
        <span class="faint">none</span>
      ),
  },
  { title: 'Batches', class: 'c-number', cell: ({ totals }) => number(totals?.totalJobs) },
  { title: 'Rows', class: 'c-number', cell: ({ totals }) => number(totals?.totalRows, compact) },
  {
    title: 'Baseline',
    class: 'c-baseline',
    cell: ({ baseline }) =>
      baseline ? plural(baseline.batches, 'batch', 'batches') : <span class="faint">none</span>,
  },
  {
    title: 'Last batch',
    class: 'c-when',
    cell: ({ totals, baseline }) => <LastBatch at={totals?.lastRun ?? baseline?.last_seen} />,
  },
  {
    title: 'Actions',
    class: 'c-actions',
    cell: ({ name }) => (
      <Menu label={`Actions for ${name}`}>
        <a href={addressOf(jobsOf(name))}>Jobs</a>
        <a href={addressOf({ page: 'try', source: name })}>Screen a batch</a>
        <button type="button" onClick={() => reset(name)}>
          Reset baseline…
        </button>
      </Menu>
    ),
  },
];

const LastBatch = ({ at }: { at: string | null | undefined }) => (at ? <Ago at={at} /> : <>–</>);
