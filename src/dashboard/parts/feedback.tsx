/** Feedback on a batch: accept it as the new normal, or say that it was expected or bad. */
import { useState } from 'preact/hooks';
import { accept, giveFeedback } from '../api.ts';
import type { Report, Taught } from '../contract.ts';
import { useAction } from '../use-action.ts';
import { plural } from '../../wording.ts';
import { dateTime } from '../times.ts';
import { Confirm } from './confirm.tsx';
import { FailureNote } from './failure.tsx';
import { StatusMessage } from './status-message.tsx';

export function Feedback({ report, done }: { report: Report; done: () => void }) {
  const { status, request_id: id, stats, blocked_since: run, advice = [] } = report;
  const [message, setMessage] = useState('');
  const [isAsking, setAsking] = useState(false);
  const { isActing, failure, run: act } = useAction();
  const show = ({ message: text, advice: more = [] }: Taught) => {
    setMessage([text, ...more.map(({ detail }) => detail)].join('. '));
    done();
  };
  const give = (verdict: 'expected' | 'bad') =>
    act(async () => show(await giveFeedback(stats.source, id, verdict)));
  return (
    <>
      <StatusMessage text={message} />
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
          onClick={() => give(status === 'BLOCK' ? 'expected' : 'bad')}
        >
          {status === 'BLOCK' ? 'It was expected' : 'It was bad'}
        </button>
      </div>
      {isAsking && (
        <Confirm
          title="Accept this batch as the new normal?"
          verb="Accept"
          act={async () => show(await accept(stats.source, id))}
          done={() => setAsking(false)}
          close={() => setAsking(false)}
        >
          <p>
            The baseline starts again with this batch for the fields that differ: it expects their new types,
            and no longer expects fields that are missing. The old baseline is kept as a version.
          </p>
        </Confirm>
      )}
    </>
  );
}
