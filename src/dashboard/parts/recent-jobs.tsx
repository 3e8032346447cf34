/** A source's last verdict and its health of late, asked for once the row has stood still for a moment. */
import { useEffect, useState } from 'preact/hooks';
import { jobs } from '../api.ts';
import type { Job } from '../contract.ts';
import { Sparkline } from './sparkline.tsx';
import { VerdictBadge } from './verdict.tsx';

const LAST = 30;
const STILL_MS = 120;

export function RecentJobs({ source }: { source: string }) {
  const [recent, setRecent] = useState<Job[] | null>(null);
  const [isUnknown, setUnknown] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      // One sparkline that is missing says nothing wrong; the page's own calls say what is.
      jobs({ limit: LAST, source }, stop.signal).then(setRecent, () => setUnknown(!stop.signal.aborted));
    }, STILL_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [source]);
  if (isUnknown) return <span class="faint">not known</span>;
  if (recent === null) return <span class="bone w70" />;
  const [last] = recent;
  if (last === undefined) return <span class="faint">no jobs</span>;
  return (
    <span class="recent">
      <VerdictBadge verdict={last.status} />
      <Sparkline jobs={recent.toReversed()} />
    </span>
  );
}
