/** One source over time: health, rows, the statistics of each field, drift and null rates; and how it is judged. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Failure, history, openIncidentOf } from '../api.ts';
import type { Batch } from '../contract.ts';
import { Attention } from '../parts/source/attention.tsx';
import { DriftLog } from '../parts/source/drift-log.tsx';
import { NoBatches } from '../parts/frame/empty.tsx';
import { FailureNote } from '../parts/frame/failure.tsx';
import { HeatMap } from '../parts/charts/heat-map.tsx';
import { Judging } from '../parts/source/judging.tsx';
import { Loading } from '../parts/frame/loading.tsx';
import { Menu } from '../parts/controls/menu.tsx';
import { Name } from '../parts/values/name.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Panel } from '../parts/frame/panel.tsx';
import { ResetDialog } from '../parts/source/reset.tsx';
import { StatusMessage } from '../parts/frame/status-message.tsx';
import { Rules } from '../parts/source/rules.tsx';
import { SourceCharts } from '../parts/charts/source-charts.tsx';
import { Trends } from '../parts/charts/trends.tsx';
import { addressOf, jobsOf, sources } from '../route.ts';
import { asFailure, useLoaded } from '../use-loaded.ts';
import { plural } from '../../terms/wording.ts';

/**
 * Batches in the first and in later requests. A batch of 2,000 fields has 50 kB, so the first request is small and shows soon. The
 * second one follows by itself.
 */
const FIRST = 15;
const MORE = 45;

interface SourceProps {
  source: string;
  field?: string;
  show?: 'settings';
}

export function SourcePage({ source, field, show }: SourceProps) {
  const [message, setMessage] = useState('');
  const [isResetting, setResetting] = useState(false);
  const [changes, setChanges] = useState(0);
  const { batches, failure, isLoading, isAll, more } = useHistory(source);
  const isRead = batches.length > 0 || (!isLoading && !failure);
  const common = { source, changes, report: setMessage };
  const oldestFirst = useMemo(() => batches.toReversed(), [batches]);
  return (
    <Page
      title={source}
      heading={<Name text={source} isWhole />}
      above={<a href={addressOf(sources())}>← Sources</a>}
      actions={
        <>
          <a class="button" href={addressOf(jobsOf(source))}>
            Jobs
          </a>
          <a class="button" href={addressOf({ page: 'try', source })}>
            Screen a batch
          </a>
          {batches.length > 0 && (
            <Menu label="More actions">
              <button type="button" onClick={() => setResetting(true)}>
                Reset baseline…
              </button>
            </Menu>
          )}
        </>
      }
    >
      <StatusMessage text={message} />
      {isResetting && (
        <ResetDialog
          source={source}
          done={() => {
            setResetting(false);
            setChanges(changes + 1);
            setMessage('The baseline is reset. The next batch makes a new one.');
          }}
          close={() => setResetting(false)}
        />
      )}
      <OpenIncident source={source} changes={changes} changed={() => setChanges(changes + 1)} />
      {oldestFirst.length > 0 && (
        <History source={source} field={field} changes={changes} batches={oldestFirst} />
      )}
      {isRead && batches.length === 0 && <NoBatches title="No batch of this source is stored" />}
      {isRead && <Judging {...common} isSought={show === 'settings'} />}
      {isRead && <Rules {...common} />}
      {isLoading && <Loading what="the source’s history" rows={8} />}
      {failure && <FailureNote failure={failure} again={more} />}
      {!isAll && !isLoading && !failure && (
        <button type="button" class="more" onClick={more}>
          Show older batches
        </button>
      )}
    </Page>
  );
}

interface IncidentProps {
  source: string;
  changes: number;
  changed: () => void;
}

/** Loads by itself: an error here does not hide the page. */
function OpenIncident({ source, changes, changed }: IncidentProps) {
  const [{ value }] = useLoaded(signal => openIncidentOf(source, signal), [source, changes]);
  return value ? <Attention incidents={[value]} isOfSource changed={changed} /> : null;
}

interface HistoryProps {
  source: string;
  field: string | undefined;
  changes: number;
  /** Oldest first. */
  batches: readonly Batch[];
}

const History = ({ source, field, changes, batches }: HistoryProps) => (
  <>
    <Panel title="Over time" aside={plural(batches.length, 'batch', 'batches')}>
      <SourceCharts batches={batches} />
    </Panel>
    <Trends key={field} source={source} field={field} changes={changes} batches={batches} />
    <Panel title="Drift">
      <DriftLog batches={batches} />
    </Panel>
    <Panel title="Null rate by field">
      <HeatMap batches={batches} />
    </Panel>
  </>
);

/** Newest first, loaded page by page. */
function useHistory(source: string) {
  const [batches, setBatches] = useState<Batch[]>([]);
  const [isAll, setAll] = useState(false);
  const [isLoading, setLoading] = useState(true);
  const [failure, setFailure] = useState<Failure | null>(null);
  const load = async (known: Batch[], limit: number, signal?: AbortSignal) => {
    setLoading(true);
    setFailure(null);
    try {
      const { batches: page, isLast } = await history(source, limit, known.at(-1)?.job_id ?? null, signal);
      const all = [...known, ...page];
      setBatches(all);
      setAll(isLast);
      if (limit === FIRST && !isLast) return await load(all, MORE, signal);
    } catch (error) {
      if (signal?.aborted) return;
      setFailure(asFailure(error));
    }
    setLoading(false);
  };
  useEffect(() => {
    const stop = new AbortController();
    void load([], FIRST, stop.signal);
    return () => stop.abort();
  }, []);
  return { batches, failure, isLoading, isAll, more: () => void load(batches, MORE) };
}
