/** What drifted when, newest first. */
import { useState } from 'preact/hooks';
import type { Batch } from '../contract.ts';
import { eventFinding, worstFirst } from '../findings.ts';
import { addressOf } from '../route.ts';
import { dateTime } from '../times.ts';
import { LevelBadge } from './level.tsx';

/** Events of one batch that are listed, and batches at a time; the job has the rest. */
const EVENTS = 5;
const BATCHES = 6;

/** `batches` oldest first. */
export function DriftLog({ batches }: { batches: readonly Batch[] }) {
  const [shown, setShown] = useState(BATCHES);
  const drifted = batches.filter(({ drift }) => drift.length > 0).toReversed();
  if (drifted.length === 0) return <p class="faint">Nothing drifted in these batches.</p>;
  return (
    <>
      <ol class="drift-log">
        {drifted.slice(0, shown).map(batch => (
          <Entry key={batch.job_id} batch={batch} />
        ))}
      </ol>
      {drifted.length > shown && (
        <button type="button" onClick={() => setShown(shown + 4 * BATCHES)}>
          Show earlier drift
        </button>
      )}
    </>
  );
}

const Entry = ({ batch: { job_id: id, created_at, drift } }: { batch: Batch }) => (
  <li>
    <a class="drift-when" href={addressOf({ page: 'job', id })}>
      <time dateTime={created_at}>{dateTime(created_at)}</time>
    </a>
    <ul class="findings">
      {worstFirst(drift.map(eventFinding))
        .slice(0, EVENTS)
        .map(({ level, text }) => (
          <li key={text}>
            <LevelBadge level={level} />
            <bdi class="finding-text">{text}</bdi>
          </li>
        ))}
      {drift.length > EVENTS && <li class="faint">and {drift.length - EVENTS} more</li>}
    </ul>
  </li>
);
