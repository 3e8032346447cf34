/** Adds a channel. The service checks what is given. */
import { useState } from 'preact/hooks';
import { createChannel } from '../api.ts';
import type { AlertChannelRequest, NewAlertChannel } from '../contract.ts';
import { useAction } from '../use-action.ts';
import { FailureNote } from './failure.tsx';

type Type = AlertChannelRequest['type'];

const TYPES: [type: Type, name: string][] = [
  ['webhook', 'Webhook'],
  ['slack', 'Slack'],
  ['email', 'E-mail'],
];

export function ChannelForm({ created }: { created: (channel: NewAlertChannel) => void }) {
  const [type, setType] = useState<Type>('webhook');
  const [name, setName] = useState('');
  const [target, setTarget] = useState('');
  const [sources, setSources] = useState('');
  const [on, setOn] = useState<'warn' | 'block'>('warn');
  const { isActing, failure, run } = useAction();
  const isMail = type === 'email';
  const create = (event: SubmitEvent) => {
    event.preventDefault();
    void run(async () => {
      const patterns = sources.split('\n').filter(line => line !== '');
      const channel = await createChannel({
        type,
        on,
        ...(isMail ? { to: target } : { url: target }),
        ...(name.trim() && { name }),
        ...(patterns.length > 0 && { sources: patterns }),
      });
      created(channel);
      setName('');
      setTarget('');
      setSources('');
    });
  };
  return (
    <form class="lines" onSubmit={create}>
      <label>
        Type
        <select value={type} onChange={({ currentTarget }) => setType(currentTarget.value as Type)}>
          {TYPES.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        {isMail ? 'Address' : 'URL'}
        <input
          inputMode={isMail ? 'email' : 'url'}
          value={target}
          required
          maxLength={2000}
          placeholder={isMail ? 'oncall@corp.com' : 'https://'}
          autocomplete="off"
          onInput={({ currentTarget }) => setTarget(currentTarget.value)}
        />
      </label>
      <label>
        Name
        <input
          value={name}
          maxLength={100}
          placeholder="on call"
          autocomplete="off"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      </label>
      <label>
        Sources, one a line, * for any characters
        <textarea
          rows={2}
          value={sources}
          placeholder="*"
          onInput={({ currentTarget }) => setSources(currentTarget.value)}
        />
      </label>
      <label>
        Tell of
        <select value={on} onChange={({ currentTarget }) => setOn(currentTarget.value as 'warn' | 'block')}>
          <option value="warn">WARN and BLOCK</option>
          <option value="block">BLOCK only</option>
        </select>
      </label>
      {failure && <FailureNote failure={failure} />}
      <button type="submit" class="primary" disabled={isActing}>
        {isActing ? 'One moment…' : 'Add channel'}
      </button>
    </form>
  );
}
