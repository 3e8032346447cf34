/** The recent health of a source, loaded once the row has been visible for a moment. */
import { useEffect, useState } from 'preact/hooks';
import { jobs } from '../../api.ts';
import type { Job } from '../../contract.ts';
import { Sparkline } from '../charts/sparkline.tsx';

const LAST = 30;
const DELAY_MS = 120;

export function RecentJobs({ source }: { source: string }) {
  const [recent, setRecent] = useState<Job[] | null>(null);
  const [isUnknown, setUnknown] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      // A missing sparkline misleads nobody; the page's own requests report errors.
      jobs({ limit: LAST, source }, stop.signal).then(setRecent, () => setUnknown(!stop.signal.aborted));
    }, DELAY_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [source]);
  if (isUnknown) return <span class="faint">not known</span>;
  if (recent === null) return <span class="bone w70" />;
  return recent.length === 0 ? <span class="faint">no jobs</span> : <Sparkline jobs={recent.toReversed()} />;
}
