/** Feedback on a batch: accept it as the new normal, or say that it was expected or bad. */
import { useState } from 'preact/hooks';
import { accept, giveFeedback } from '../../api.ts';
import { acceptedIn, afterAccept } from '../../../rendering/acceptance.ts';
import type { Advice, JobFeedback, Report, Taught } from '../../contract.ts';
import { addressOf } from '../../route.ts';
import { useAction } from '../../use-action.ts';
import { AdviceList } from '../source/advice.tsx';
import { Confirm } from '../controls/confirm.tsx';
import { FailureNote } from '../frame/failure.tsx';
import { Name } from '../values/name.tsx';
import { Panel } from '../frame/panel.tsx';
import { StatusMessage } from '../frame/status-message.tsx';

interface Props {
  report: Report;
  /** What was said of the batch before. */
  feedback: readonly JobFeedback[];
  done: () => void;
}

export function Feedback({ report, feedback, done }: Props) {
  const { status, request_id: id, stats, advice = [] } = report;
  const [message, setMessage] = useState('');
  const [answered, setAnswered] = useState<readonly Advice[]>([]);
  const [isAsking, setAsking] = useState(false);
  const { isActing, failure, run: act } = useAction();
  const show = ({ message: text, advice: more = [] }: Taught) => {
    setAnswered(more);
    setMessage(text);
    done();
  };
  const isAccepted = acceptedIn(feedback) !== undefined;
  const advised = answered.length > 0 ? answered : advice;
  const verdict = status === 'BLOCK' ? 'expected' : 'bad';
  const give = () => act(async () => show(await giveFeedback(stats.source, id, verdict)));
  return (
    <>
      <StatusMessage text={message} />
      {failure && <FailureNote failure={failure} />}
      <Panel title={status === 'PASS' ? 'Was this right?' : 'What to do'}>
        <AdviceList source={stats.source} advice={advised} done={setMessage} />
        {isAccepted && <p>{afterAccept(status)} The next batch that passes ends the incident.</p>}
        {status === 'BLOCK' && feedback.length === 0 && <p>{CORRECT}</p>}
        <ul class="steps">
          {advised.length > 0 && <SetThresholds source={stats.source} />}
          {status !== 'PASS' && !isAccepted && <Accept source={stats.source} ask={() => setAsking(true)} />}
          {isAccepted ? (
            <Undo source={stats.source} />
          ) : (
            <li>
              <button type="button" disabled={isActing} onClick={give}>
                {verdict === 'expected' ? 'It was expected' : 'It was bad'}
              </button>
              <span>{SAID[verdict]}</span>
            </li>
          )}
        </ul>
      </Panel>
      {isAsking && (
        <AcceptDialog
          source={stats.source}
          act={async () => show(await accept(stats.source, id))}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}

const SetThresholds = ({ source }: { source: string }) => (
  <li>
    <a class="button" href={addressOf({ page: 'source', source, show: 'settings' })}>
      Set thresholds
    </a>
    <span>Fixed thresholds apply whatever is normal.</span>
  </li>
);

const Accept = ({ source, ask }: { source: string; ask: () => void }) => (
  <li>
    <button type="button" onClick={ask}>
      Accept as the new normal
    </button>
    <span>
      The change is right and stays. <a href={addressOf({ page: 'source', source })}>See what was usual</a>
    </span>
  </li>
);

const Undo = ({ source }: { source: string }) => (
  <li>
    <a class="button" href={addressOf({ page: 'source', source, show: 'settings' })}>
      Undo it
    </a>
    <span>Under “Who changed what” of the source, go back to before it.</span>
  </li>
);

interface DialogProps {
  source: string;
  act: () => Promise<unknown>;
  close: () => void;
}

const AcceptDialog = ({ source, act, close }: DialogProps) => (
  <Confirm title="Accept this batch as the new normal?" verb="Accept" act={act} done={close} close={close}>
    <p>
      The baseline of <Name text={source} /> starts again with this batch for the fields that differ: it
      expects their new types, and no longer expects fields that are missing. The old baseline is kept as a
      version.
    </p>
    <p>The verdict stays, and the rows are not stored here: send them again, or load them yourself.</p>
  </Confirm>
);

const CORRECT = 'If the rows are wrong, correct them and send the batch again: there is nothing to undo.';
const SAID = {
  expected: 'The rows are right, and such a batch comes now and then: the source learns it.',
  bad: 'The rows are wrong: the source forgets them.',
};
