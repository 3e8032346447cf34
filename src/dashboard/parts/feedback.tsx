/** Feedback on a batch: accept it as the new normal, or say that it was expected or bad. */
import { useState } from 'preact/hooks';
import { accept, giveFeedback } from '../api.ts';
import type { Report, Taught } from '../contract.ts';
import { addressOf } from '../route.ts';
import { useAction } from '../use-action.ts';
import { Confirm } from './confirm.tsx';
import { FailureNote } from './failure.tsx';
import { Panel } from './panel.tsx';
import { StatusMessage } from './status-message.tsx';

export function Feedback({ report, done }: { report: Report; done: () => void }) {
  const { status, request_id: id, stats, advice = [] } = report;
  const [message, setMessage] = useState('');
  const [isAsking, setAsking] = useState(false);
  const { isActing, failure, run: act } = useAction();
  const show = ({ message: text, advice: more = [] }: Taught) => {
    setMessage([text, ...more.map(({ detail }) => detail)].join('. '));
    done();
  };
  const verdict = status === 'BLOCK' ? 'expected' : 'bad';
  const give = () => act(async () => show(await giveFeedback(stats.source, id, verdict)));
  return (
    <>
      <StatusMessage text={message} />
      {failure && <FailureNote failure={failure} />}
      <Panel title={status === 'PASS' ? 'Was this right?' : 'What to do'}>
        {advice.map(({ detail }) => (
          <p key={detail} class="note">
            <bdi>{detail}</bdi>
          </p>
        ))}
        {status === 'BLOCK' && <p>{CORRECT}</p>}
        <ul class="steps">
          {status !== 'PASS' && (
            <li>
              <button type="button" onClick={() => setAsking(true)}>
                Accept as the new normal
              </button>
              <span>
                The change is right and stays.{' '}
                <a href={addressOf({ page: 'source', source: stats.source })}>See what was usual</a>
              </span>
            </li>
          )}
          <li>
            <button type="button" disabled={isActing} onClick={give}>
              {verdict === 'expected' ? 'It was expected' : 'It was bad'}
            </button>
            <span>{SAID[verdict]}</span>
          </li>
        </ul>
      </Panel>
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

const CORRECT = 'If the rows are wrong, correct them and send the batch again: nothing was learned from it.';
const SAID = {
  expected: 'The rows are right, but only this once.',
  bad: 'The rows are wrong: the source forgets them.',
};
