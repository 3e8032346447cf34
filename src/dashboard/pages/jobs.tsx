/** The account's jobs, newest first, by source and verdict. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, jobs, statistics } from '../api.ts';
import { VERDICTS } from '../../verdict.ts';
import type { Job } from '../contract.ts';
import { NoBatches } from '../parts/empty.tsx';
import { FailureNote } from '../parts/failure.tsx';
import { JobsTable } from '../parts/jobs-table.tsx';
import { Loading } from '../parts/loading.tsx';
import { Page } from '../parts/page.tsx';
import { Panel } from '../parts/panel.tsx';
import { jobsOf } from '../route.ts';
import { asFailure, useLoaded } from '../use-loaded.ts';
import { go } from '../use-route.ts';
import { grouped, plural, shortened } from '../../wording.ts';

const PAGE_SIZE = 200;
/** The API filters only by source, so a search by verdict may read many pages. This many at a time. */
const PAGES_AT_ONCE = 5;

interface Filter {
  source: string | null;
  verdict: string | null;
}

export function Jobs({ source, verdict }: Filter) {
  const { found, read, isAll, isLoading, failure, more } = useJobs({ source, verdict });
  return (
    <Page title="Jobs" actions={<Filters source={source} verdict={verdict} />}>
      {found.length > 0 && (
        <Panel title={countText(found.length, isAll)} isFlush>
          <JobsTable jobs={found} label="Jobs, newest first" />
        </Panel>
      )}
      {isLoading && <Loading what="jobs" rows={8} />}
      {failure && <FailureNote failure={failure} again={more} />}
      {!isLoading && !failure && found.length === 0 && (
        <NothingFound filter={{ source, verdict }} read={read} isAll={isAll} />
      )}
      {!isAll && !isLoading && !failure && (
        <button type="button" class="more" onClick={more}>
          Show older jobs
        </button>
      )}
    </Page>
  );
}

const countText = (many: number, isAll: boolean): string =>
  isAll ? plural(many, 'job') : `The newest ${grouped(many)} jobs`;

function NothingFound({
  filter: { source, verdict },
  read,
  isAll,
}: {
  filter: Filter;
  read: number;
  isAll: boolean;
}) {
  if (source === null && verdict === null) return <NoBatches title="No batches yet" />;
  return (
    <p class="empty">
      {isAll ? 'No job matches. ' : `None of the newest ${grouped(read)} jobs matches. `}
      <a href="#/jobs">Show all jobs</a>
    </p>
  );
}

/** Offers the sources of the last year. */
function Filters({ source, verdict }: Filter) {
  const [loaded] = useLoaded(signal => statistics(365, signal), []);
  const names = loaded.value?.sources.map(each => each.source) ?? [];
  const choices = source === null || names.includes(source) ? names : [source, ...names];
  return (
    <>
      <label class="inline">
        Source
        <select
          class="choose-source"
          value={source === null ? -1 : choices.indexOf(source)}
          onChange={({ currentTarget }) => go(jobsOf(choices[Number(currentTarget.value)] ?? null, verdict))}
        >
          <option value={-1}>All sources</option>
          {choices.map((name, i) => (
            <option key={name} value={i}>
              {shortened(name, 60)}
            </option>
          ))}
        </select>
      </label>
      <label class="inline">
        Verdict
        <select
          value={verdict ?? ''}
          onChange={({ currentTarget }) => go(jobsOf(source, currentTarget.value || null))}
        >
          <option value="">Any</option>
          {VERDICTS.map(each => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
    </>
  );
}

interface Read {
  found: Job[];
  /** How many jobs were read, and the id of the last one. */
  read: number;
  last: string | null;
  isAll: boolean;
}

const NOTHING: Read = { found: [], read: 0, last: null, isAll: false };

function useJobs(filter: Filter) {
  const [state, setState] = useState<Read>(NOTHING);
  const [isLoading, setLoading] = useState(true);
  const [failure, setFailure] = useState<Failure | null>(null);
  const current = useRef<AbortController | null>(null);
  const load = async (start: Read) => {
    const stop = new AbortController();
    current.current = stop;
    setState(start);
    setLoading(true);
    setFailure(null);
    try {
      const next = await readMore(start, filter, stop.signal);
      if (!stop.signal.aborted) setState(next);
    } catch (error) {
      if (!stop.signal.aborted) setFailure(asFailure(error));
    }
    if (!stop.signal.aborted) setLoading(false);
  };
  useEffect(() => {
    void load(NOTHING);
    return () => current.current?.abort();
  }, [filter.source, filter.verdict]);
  return { ...state, isLoading, failure, more: () => void load(state) };
}

/** Reads until a full page is found, the jobs end, or PAGES_AT_ONCE pages are read. */
async function readMore(start: Read, { source, verdict }: Filter, signal: AbortSignal): Promise<Read> {
  const found: Job[] = [];
  let { read, last, isAll } = start;
  for (let page = 0; page < PAGES_AT_ONCE && !isAll && found.length < PAGE_SIZE; page++) {
    const jobsRead = await jobs({ limit: PAGE_SIZE, source, before: last }, signal);
    found.push(...jobsRead.filter(({ status }) => verdict === null || status === verdict));
    read += jobsRead.length;
    last = jobsRead.at(-1)?.id ?? last;
    isAll = jobsRead.length < PAGE_SIZE;
  }
  return { found: [...start.found, ...found], read, last, isAll };
}
