/** Drift events by batch, newest first. */
import { useState } from 'preact/hooks';
import type { Batch } from '../../contract.ts';
import { driftFindings } from '../../../client/findings.ts';
import { addressOf } from '../../route.ts';
import { dateTime } from '../../times.ts';
import { SeverityBadge } from '../values/severity.tsx';

/** How many events of a batch, and how many batches, to list at once. The job lists all events. */
const EVENTS = 5;
const BATCHES = 6;

/** `batches` oldest first. */
export function DriftLog({ batches }: { batches: readonly Batch[] }) {
  const [shown, setShown] = useState(BATCHES);
  const drifted = batches.filter(({ drift }) => drift.length > 0).toReversed();
  if (drifted.length === 0) return <p class="faint">No drift in these batches.</p>;
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
      {driftFindings(drift)
        .slice(0, EVENTS)
        .map(({ severity, text }) => (
          <li key={text}>
            <SeverityBadge severity={severity} />
            <bdi class="finding-text">{text}</bdi>
          </li>
        ))}
      {drift.length > EVENTS && <li class="faint">and {drift.length - EVENTS} more</li>}
    </ul>
  </li>
);
