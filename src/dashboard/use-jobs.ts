/** The jobs that match a filter, in pages; looks for new ones while the page is open. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, jobs } from './api.ts';
import type { Job } from './contract.ts';
import { type JobList, LIVE_SIZE, newIn, NO_JOBS, PAGE_SIZE, withNew, withOlder } from './job-list.ts';
import type { JobFilter } from './route.ts';
import { midnight } from './times.ts';
import { asFailure } from './use-loaded.ts';

const LIVE_MS = 5_000;
/** Scrolled further than this, rows that come in above would move what is being read. */
const AT_TOP_PIXELS = 200;

export interface Jobs extends JobList {
  isLoading: boolean;
  failure: Failure | null;
  /** New jobs that wait until they are asked for. */
  waiting: number;
  /** The last look for new jobs failed. */
  isStale: boolean;
  more(): void;
  showNew(): void;
}

export function useJobs(filter: JobFilter, isLive: boolean): Jobs {
  const [list, setList] = useState<JobList>(NO_JOBS);
  const [isLoading, setLoading] = useState(true);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [newest, setNewest] = useState<readonly Job[]>([]);
  const current = useRef<AbortController | null>(null);
  const load = async (start: JobList) => {
    const stop = new AbortController();
    current.current = stop;
    setList(start);
    setLoading(true);
    setFailure(null);
    try {
      const page = await jobs(
        { ...queryOf(filter), limit: PAGE_SIZE, before: start.found.at(-1)?.id ?? null },
        stop.signal,
      );
      if (!stop.signal.aborted) setList(withOlder(start, page));
    } catch (error) {
      if (!stop.signal.aborted) setFailure(asFailure(error));
    }
    if (!stop.signal.aborted) setLoading(false);
  };
  useEffect(() => {
    setNewest([]);
    void load(NO_JOBS);
    return () => current.current?.abort();
  }, [filter.source, filter.status, filter.from, filter.to]);
  const take = (page: readonly Job[]) => {
    const isReading = scrollY > AT_TOP_PIXELS;
    setNewest(isReading ? page : []);
    if (!isReading) setList(before => withNew(before, page));
  };
  const isStale = useLive(isLive && !isLoading && !failure, filter, take);
  const showNew = () => {
    setList(before => withNew(before, newest));
    setNewest([]);
    scrollTo(0, 0);
  };
  const waiting = newest.length === 0 ? 0 : newIn(list, newest).length;
  return { ...list, isLoading, failure, waiting, isStale, more: () => void load(list), showNew };
}

/** Passes on the newest jobs from time to time. Returns whether the last look failed. */
function useLive(isOn: boolean, filter: JobFilter, take: (page: readonly Job[]) => void): boolean {
  const [isStale, setStale] = useState(false);
  useEffect(() => {
    if (!isOn) return;
    const stop = new AbortController();
    const look = async () => {
      if (document.hidden) return;
      try {
        take(await jobs({ ...queryOf(filter), limit: LIVE_SIZE }, stop.signal));
        setStale(false);
      } catch {
        setStale(!stop.signal.aborted);
      }
    };
    const timer = setInterval(look, LIVE_MS);
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [filter.source, filter.status, filter.from, filter.to, isOn]);
  return isStale;
}

/** `to` of the API is excluded. */
const queryOf = ({ source, status, from, to }: JobFilter) => ({
  source,
  status,
  from: from && midnight(from),
  to: to && midnight(to, 1),
});
