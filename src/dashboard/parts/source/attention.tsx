/** Sources that do not pass now: since when, why, and what to do about it. */
import { useState } from 'preact/hooks';
import { accept, acknowledge, snooze } from '../../api.ts';
import type { Incident } from '../../contract.ts';
import { addressOf } from '../../route.ts';
import { isSnoozed, rankOf } from '../../source-list.ts';
import { dateTime, withLocalTimes } from '../../times.ts';
import { useAction } from '../../use-action.ts';
import { grouped, plural } from '../../../terms/wording.ts';
import { Confirm } from '../controls/confirm.tsx';
import { FailureNote } from '../frame/failure.tsx';
import { Name, nameText } from '../values/name.tsx';
import { Panel } from '../frame/panel.tsx';
import { StatusMessage } from '../frame/status-message.tsx';
import { Ago } from '../values/time.tsx';
import { VerdictBadge } from '../values/verdict.tsx';

const SHOWN = 8;
const DAY_MS = 86_400_000;
const SNOOZES: [name: string, days: number][] = [
  ['1 day', 1],
  ['1 week', 7],
  ['30 days', 30],
];

interface Props {
  /** Open ones, newest first. */
  incidents: readonly Incident[];
  /** On the page of their source, which needs no link to it. */
  isOfSource?: boolean;
  changed: () => void;
}

export function Attention({ incidents, isOfSource = false, changed }: Props) {
  const [message, setMessage] = useState('');
  const [isWhole, setWhole] = useState(false);
  const [accepting, setAccepting] = useState<Incident | null>(null);
  const ordered = incidents.toSorted((a, b) => rankOf(a) - rankOf(b));
  const shown = isWhole ? ordered : ordered.slice(0, SHOWN);
  const report = (text: string) => {
    setMessage(text);
    changed();
  };
  return (
    <>
      <StatusMessage text={message} />
      <Panel
        title="Needs attention"
        aside={!isOfSource && incidents.length > 0 && plural(incidents.length, 'source')}
        isFlush={incidents.length > 0}
      >
        {incidents.length === 0 && <p class="faint">Nothing: the newest batch of every source passed.</p>}
        <ul class="entries">
          {shown.map(incident => (
            <li key={incident.id}>
              <Entry
                incident={incident}
                isOfSource={isOfSource}
                report={report}
                accept={() => setAccepting(incident)}
              />
            </li>
          ))}
        </ul>
        {shown.length < ordered.length && (
          <button type="button" class="more" onClick={() => setWhole(true)}>
            Show all {grouped(ordered.length)}
          </button>
        )}
      </Panel>
      {accepting && (
        <Confirm
          title="Accept the last batch as the new normal?"
          verb="Accept"
          act={async () => {
            const { message: said, advice = [] } = await accept(accepting.source, accepting.last_job);
            const more = advice.map(({ detail }) => detail);
            report([said, 'The next batch that passes ends the incident', ...more].join('. '));
          }}
          done={() => setAccepting(null)}
          close={() => setAccepting(null)}
        >
          <p>
            The baseline of <Name text={accepting.source} /> starts again with this batch for the fields that
            differ. The old baseline is kept as a version. The verdict stays, and the rows are not stored
            here: send them again, or load them yourself.
          </p>
        </Confirm>
      )}
    </>
  );
}

interface EntryProps {
  incident: Incident;
  isOfSource: boolean;
  report: (message: string) => void;
  accept: () => void;
}

const Entry = ({ incident, isOfSource, report, accept: ask }: EntryProps) => (
  <>
    <div class="entry-head">
      {incident.accepted_at === null ? (
        <VerdictBadge verdict={incident.verdict} />
      ) : (
        <span class="level info">Accepted</span>
      )}
      {!isOfSource && (
        <a href={addressOf({ page: 'source', source: incident.source })}>
          <Name text={incident.source} />
        </a>
      )}
      <span class="faint">
        {plural(incident.batches, 'batch', 'batches')}
        {incident.batches === 1 ? ', ' : ', the first '}
        <Ago at={incident.opened_at} />
        {stateOf(incident)}
      </span>
    </div>
    {incident.accepted_at && (
      <p>
        Accepted by <bdi>{incident.accepted_by}</bdi>, {dateTime(incident.accepted_at)}; waits for the next
        batch.
      </p>
    )}
    <p class="entry-said">
      {incident.accepted_at && `It was ${incident.verdict}: `}
      <bdi>{withLocalTimes(incident.reason)}</bdi>
    </p>
    <Steps incident={incident} isOfSource={isOfSource} report={report} accept={ask} />
  </>
);

function Steps({ incident, isOfSource, report, accept: ask }: EntryProps) {
  const { id, source, last_job } = incident;
  const { isActing, failure, run } = useAction();
  const isAccepted = incident.accepted_at !== null;
  const of = <span class="unseen"> of {nameText(source, 64)}</span>;
  const see = () =>
    run(async () => {
      await acknowledge(id);
      report('It is acknowledged: no more daily reminders.');
    });
  const silence = (days: number) =>
    run(async () => {
      const until = days === 0 ? null : new Date(Date.now() + days * DAY_MS).toISOString();
      await snooze(id, until);
      report(until ? `Nothing is sent before ${dateTime(until)}.` : 'Messages are sent again.');
    });
  return (
    <>
      <div class="actions">
        <a class="button primary" href={addressOf({ page: 'job', id: last_job })}>
          Open the last batch{of}
        </a>
        {!isAccepted && (
          <button type="button" onClick={ask}>
            Accept as normal{of}
          </button>
        )}
        {!isOfSource && (
          <a class="button" href={addressOf({ page: 'source', source })}>
            See what is usual{of}
          </a>
        )}
        <a class="button" href={addressOf({ page: 'source', source, show: 'settings' })}>
          Set thresholds{of}
        </a>
        {incident.acknowledged_at === null && !isAccepted && (
          <button type="button" disabled={isActing} onClick={see}>
            Acknowledge{of}
          </button>
        )}
        {isSnoozed(incident) ? (
          <button type="button" disabled={isActing} onClick={() => silence(0)}>
            End the snooze{of}
          </button>
        ) : (
          <SnoozeChoice source={source} isActing={isActing} choose={silence} />
        )}
      </div>
      {failure && <FailureNote failure={failure} />}
    </>
  );
}

interface SnoozeProps {
  source: string;
  isActing: boolean;
  choose: (days: number) => void;
}

const SnoozeChoice = ({ source, isActing, choose }: SnoozeProps) => (
  <label class="inline">
    Snooze<span class="unseen"> of {nameText(source, 64)}</span>
    <select
      value=""
      disabled={isActing}
      onChange={({ currentTarget }) => choose(Number(currentTarget.value))}
    >
      <option value="" disabled>
        for…
      </option>
      {SNOOZES.map(([name, days]) => (
        <option key={days} value={days}>
          {name}
        </option>
      ))}
    </select>
  </label>
);

function stateOf(incident: Incident): string {
  if (isSnoozed(incident)) return `, snoozed until ${dateTime(incident.snoozed_until!)}`;
  return incident.acknowledged_at === null ? '' : ', acknowledged';
}
