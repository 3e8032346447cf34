/** One source over time: health, rows, drift, null rates. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Failure, history } from '../api.ts';
import type { Batch } from '../contract.ts';
import { DriftLog } from '../parts/drift-log.tsx';
import { NoBatches } from '../parts/empty.tsx';
import { FailureNote } from '../parts/failure.tsx';
import { HeatMap } from '../parts/heat-map.tsx';
import { Loading } from '../parts/loading.tsx';
import { Name } from '../parts/name.tsx';
import { Page } from '../parts/page.tsx';
import { Panel } from '../parts/panel.tsx';
import { ResetButton } from '../parts/reset.tsx';
import { SourceCharts } from '../parts/source-charts.tsx';
import { addressOf, jobsOf } from '../route.ts';
import { asFailure } from '../use-loaded.ts';
import { NAMELESS, plural } from '../wording.ts';

/** Batches at a time: with 2,000 fields each they are some megabytes. */
const AT_ONCE = 50;

export function SourcePage({ source }: { source: string }) {
  const [said, setSaid] = useState('');
  const { batches, failure, isLoading, isAll, more } = useHistory(source);
  const oldestFirst = useMemo(() => batches.toReversed(), [batches]);
  return (
    <Page
      title={source || NAMELESS}
      heading={<Name text={source} isWhole />}
      above={<a href={addressOf({ page: 'sources' })}>← Sources</a>}
      actions={
        <>
          <a class="button" href={addressOf(jobsOf(source))}>
            Jobs
          </a>
          <a class="button" href={addressOf({ page: 'try', source })}>
            Screen a batch
          </a>
          {batches.length > 0 && (
            <ResetButton
              source={source}
              done={() => setSaid('The baseline is reset: the next batch makes a new one.')}
            />
          )}
        </>
      }
    >
      <p role="status" class={said ? 'note' : 'unseen'}>
        {said}
      </p>
      {oldestFirst.length > 0 && <Story batches={oldestFirst} />}
      {isLoading && <Loading what="the source’s history" rows={8} />}
      {failure && <FailureNote failure={failure} again={more} />}
      {!isLoading && !failure && batches.length === 0 && <NoBatches title="This source has no batch yet" />}
      {!isAll && !isLoading && !failure && (
        <button type="button" class="more" onClick={more}>
          Show older batches
        </button>
      )}
    </Page>
  );
}

/** `batches` oldest first. */
const Story = ({ batches }: { batches: readonly Batch[] }) => (
  <>
    <Panel title="Over time" aside={plural(batches.length, 'batch', 'batches')}>
      <SourceCharts batches={batches} />
    </Panel>
    <Panel title="Drift">
      <DriftLog batches={batches} />
    </Panel>
    <Panel title="Null rate by field">
      <HeatMap batches={batches} />
    </Panel>
  </>
);

/** Newest first, page by page. */
function useHistory(source: string) {
  const [batches, setBatches] = useState<Batch[]>([]);
  const [isAll, setAll] = useState(false);
  const [isLoading, setLoading] = useState(true);
  const [failure, setFailure] = useState<Failure | null>(null);
  const load = async (signal?: AbortSignal) => {
    setLoading(true);
    setFailure(null);
    try {
      const page = await history(source, AT_ONCE, batches.at(-1)?.job_id ?? null, signal);
      setBatches([...batches, ...page]);
      setAll(page.length < AT_ONCE);
    } catch (error) {
      if (signal?.aborted) return;
      setFailure(asFailure(error));
    }
    setLoading(false);
  };
  useEffect(() => {
    const stop = new AbortController();
    void load(stop.signal);
    return () => stop.abort();
  }, []);
  return { batches, failure, isLoading, isAll, more: () => void load() };
}
