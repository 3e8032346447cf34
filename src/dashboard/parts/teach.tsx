/** What a person can say of a batch: this is the new normal, it was expected, it was bad. */
import { useState } from 'preact/hooks';
import { accept, speakOf } from '../api.ts';
import type { Report, Taught } from '../contract.ts';
import { useAction } from '../use-action.ts';
import { plural } from '../../wording.ts';
import { dateTime } from '../times.ts';
import { Confirm } from './confirm.tsx';
import { FailureNote } from './failure.tsx';
import { Said } from './said.tsx';

export function Teach({ report }: { report: Report }) {
  const { status, request_id: id, stats, blocked_since: run, advice = [] } = report;
  const [said, setSaid] = useState('');
  const [isAsking, setAsking] = useState(false);
  const { isActing, failure, run: act } = useAction();
  const tell = ({ message, advice: more = [] }: Taught) =>
    setSaid([message, ...more.map(({ detail }) => detail)].join('. '));
  const speak = (verdict: 'expected' | 'bad') =>
    act(async () => tell(await speakOf(stats.source, id, verdict)));
  return (
    <>
      <Said words={said} />
      {run && (
        <p class="note block">
          BLOCKed for the same field since {dateTime(run.timestamp)}:{' '}
          {plural(run.batches, 'batch', 'batches')} with this one.
        </p>
      )}
      {advice.map(({ detail }) => (
        <p key={detail} class="note">
          <bdi>{detail}</bdi>
        </p>
      ))}
      {failure && <FailureNote failure={failure} />}
      <div class="actions">
        {status !== 'PASS' && (
          <button type="button" onClick={() => setAsking(true)}>
            Accept as the new normal
          </button>
        )}
        <button
          type="button"
          disabled={isActing}
          onClick={() => speak(status === 'BLOCK' ? 'expected' : 'bad')}
        >
          {status === 'BLOCK' ? 'It was expected' : 'It was bad'}
        </button>
      </div>
      {isAsking && (
        <Confirm
          title="Is this how the source is from now on?"
          verb="Accept"
          act={async () => tell(await accept(stats.source, id))}
          done={() => setAsking(false)}
          close={() => setAsking(false)}
        >
          <p>
            The fields in which this batch differed begin anew with it: its types are expected, and fields
            that it lacks no longer are. What was there before is kept as a version.
          </p>
        </Confirm>
      )}
    </>
  );
}
