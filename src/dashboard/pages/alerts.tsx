/** The page of alerts: channels, and the messages that were sent. */
import { useState } from 'preact/hooks';
import { channels, deleteChannel, deliveries, resend, rotateSecret, testChannel } from '../api.ts';
import type { AlertChannel, AlertDelivery } from '../contract.ts';
import { ChannelForm } from '../parts/account/channel-form.tsx';
import { Confirm } from '../parts/controls/confirm.tsx';
import { Secret } from '../parts/controls/secret.tsx';
import { FailureNote } from '../parts/frame/failure.tsx';
import { Name } from '../parts/values/name.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Panel } from '../parts/frame/panel.tsx';
import { StatusMessage } from '../parts/frame/status-message.tsx';
import { Ago } from '../parts/values/time.tsx';
import { WhenLoaded } from '../parts/frame/when-loaded.tsx';
import { dateTime } from '../times.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';
import { escaped, plural } from '../../terms/wording.ts';

const DELIVERIES_SHOWN = 50;

interface Loaded {
  channels: AlertChannel[];
  sent: AlertDelivery[];
}

const load = async (signal: AbortSignal): Promise<Loaded> => {
  const [all, sent] = await Promise.all([channels(signal), deliveries(DELIVERIES_SHOWN, signal)]);
  return { channels: all, sent };
};

export function Alerts() {
  const [loaded, again] = useLoaded(load, []);
  const [message, setMessage] = useState('');
  const [secret, setSecret] = useState<string | null>(null);
  const [deleting, setDeleting] = useState<AlertChannel | null>(null);
  const report = (text: string) => {
    setMessage(text);
    again();
  };
  return (
    <Page title="Alerts">
      <StatusMessage text={message} />
      <Panel title="New channel">
        <ChannelForm
          created={channel => {
            setSecret(channel.secret ?? null);
            report(`The channel ${channel.name} is added. Send a test to try it.`);
          }}
        />
      </Panel>
      <WhenLoaded what="the channels" loaded={loaded} again={again}>
        {({ channels: all, sent }) => (
          <>
            <Channels channels={all} report={report} showSecret={setSecret} remove={setDeleting} />
            <Deliveries sent={sent} channels={all} report={report} again={again} />
          </>
        )}
      </WhenLoaded>
      {secret !== null && (
        <Secret
          title="The secret of this webhook"
          what="the secret"
          label="The secret"
          text={secret}
          about="Copy it now, it cannot be shown again. Your receiver checks signatures with it."
          close={() => setSecret(null)}
        />
      )}
      {deleting && (
        <Confirm
          title="Delete this channel?"
          verb="Delete channel"
          act={() => deleteChannel(deleting.id)}
          done={() => {
            setDeleting(null);
            report(`The channel ${deleting.name} is deleted.`);
            document.querySelector<HTMLElement>('h1')?.focus();
          }}
          close={() => setDeleting(null)}
        >
          <p>
            <Name text={deleting.name} /> gets no more messages, and those that were sent to it are forgotten.
          </p>
        </Confirm>
      )}
    </Page>
  );
}

interface ListProps {
  channels: readonly AlertChannel[];
  report: (message: string) => void;
  showSecret: (secret: string) => void;
  remove: (channel: AlertChannel) => void;
}

function Channels({ channels: all, report, showSecret, remove }: ListProps) {
  if (all.length === 0)
    return <p class="empty">No channels yet, so no alert is sent. Add the first one above.</p>;
  return (
    <Panel title={plural(all.length, 'channel')} isFlush>
      <ul class="entries">
        {all.map(channel => (
          <li key={channel.id}>
            <Channel
              channel={channel}
              report={report}
              showSecret={showSecret}
              remove={() => remove(channel)}
            />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const TYPES = { webhook: 'Webhook', slack: 'Slack', email: 'E-mail' };

interface ChannelProps {
  channel: AlertChannel;
  report: (message: string) => void;
  showSecret: (secret: string) => void;
  remove: () => void;
}

function Channel({ channel, report, showSecret, remove }: ChannelProps) {
  const { id, type, name, url, to, sources, on, failing_since: failing } = channel;
  const { isActing, failure, run } = useAction();
  const of = <span class="unseen"> {name}</span>;
  const test = () =>
    run(async () => {
      await testChannel(id);
      report('A test is on its way. Its outcome is below in a moment: press Refresh.');
    });
  const rotate = () =>
    run(async () => {
      const { secret, previous_until: until } = await rotateSecret(id);
      showSecret(secret);
      report(`The secret is replaced. The one before is valid until ${dateTime(until)}.`);
    });
  return (
    <>
      <div class="entry-head">
        <b>
          <Name text={name} />
        </b>
        <span class="faint">{TYPES[type]} to</span>
        <Name text={url ?? to ?? ''} />
      </div>
      <p class="entry-said">
        {on === 'block' ? 'BLOCK only' : 'WARN and BLOCK'},{' '}
        {sources.join() === '*' ? 'all sources' : escaped(sources.join(', '))}
      </p>
      {failing && <p class="note block">Messages do not arrive since {dateTime(failing)}.</p>}
      <div class="actions">
        <button type="button" disabled={isActing} onClick={test}>
          Send a test{of}
        </button>
        {type === 'webhook' && (
          <button type="button" disabled={isActing} onClick={rotate}>
            Replace the secret{of}
          </button>
        )}
        <button type="button" onClick={remove}>
          Delete{of}
        </button>
      </div>
      {failure && <FailureNote failure={failure} />}
    </>
  );
}

const EVENTS: Record<string, string> = {
  'incident.opened': 'Incident opened',
  'incident.updated': 'Incident goes on',
  'incident.resolved': 'Incident resolved',
  'channel.test': 'Test',
};

interface DeliveriesProps {
  sent: readonly AlertDelivery[];
  channels: readonly AlertChannel[];
  report: (message: string) => void;
  again: () => void;
}

function Deliveries({ sent, channels: all, report, again }: DeliveriesProps) {
  const { isActing, failure, run } = useAction();
  if (all.length === 0) return null;
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const repeat = (id: string) =>
    run(async () => {
      await resend(id);
      report('It is sent again.');
    });
  const refresh = (
    <button type="button" onClick={again}>
      Refresh
    </button>
  );
  return (
    <Panel title="Messages" aside={refresh} isFlush={sent.length > 0}>
      {failure && <FailureNote failure={failure} />}
      {sent.length === 0 && <p class="faint">Nothing was sent yet.</p>}
      <ul class="entries">
        {sent.map(delivery => (
          <li key={delivery.id}>
            <div class="entry-head">
              <b>{EVENTS[delivery.type] ?? delivery.type}</b>
              <span>
                to <Name text={names.get(delivery.channel) ?? delivery.channel} />
              </span>
              <span class="faint">
                <Ago at={delivery.created_at} />, {outcomeOf(delivery)}
              </span>
              {delivery.status !== 'pending' && (
                <button type="button" disabled={isActing} onClick={() => repeat(delivery.id)}>
                  Send again<span class="unseen"> {delivery.id}</span>
                </button>
              )}
            </div>
            {delivery.error && (
              <p class="entry-said">
                <bdi>{delivery.error}</bdi>
              </p>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function outcomeOf({ status, attempts, next_attempt_at: next }: AlertDelivery): string {
  if (status === 'delivered') return 'delivered';
  if (status === 'failed') return `given up after ${plural(attempts, 'attempt')}`;
  return attempts === 0 ? 'on its way' : `${plural(attempts, 'attempt')}, next ${dateTime(next!)}`;
}
