/** Adds a channel. The service checks what is given. */
import { useState } from 'preact/hooks';
import { createChannel } from '../../api.ts';
import type { AlertChannelRequest, CreatedAlertChannel } from '../../contract.ts';
import { useAction } from '../../use-action.ts';
import { Choice } from '../controls/fields.tsx';
import { FailureNote } from '../frame/failure.tsx';

type Type = AlertChannelRequest['type'];

const TYPES = [
  ['webhook', 'Webhook'],
  ['slack', 'Slack'],
  ['email', 'E-mail'],
] as const;
const VERDICTS = [
  ['warn', 'WARN and BLOCK'],
  ['block', 'BLOCK only'],
] as const;

export function ChannelForm({ created }: { created: (channel: CreatedAlertChannel) => void }) {
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
      <Choice name="Type" value={type} values={TYPES} change={setType} isInline={false} />
      <Line
        name={isMail ? 'Address' : 'URL'}
        value={target}
        hint={isMail ? 'oncall@corp.com' : 'https://'}
        change={setTarget}
        isRequired
      />
      <Line name="Name" value={name} hint="on call" change={setName} />
      <label>
        Sources, one a line, * for any characters
        <textarea
          rows={2}
          value={sources}
          placeholder="*"
          onInput={({ currentTarget }) => setSources(currentTarget.value)}
        />
      </label>
      <Choice name="Tell of" value={on} values={VERDICTS} change={setOn} isInline={false} />
      {failure && <FailureNote failure={failure} />}
      <button type="submit" class="primary" disabled={isActing}>
        {isActing ? 'One moment…' : 'Add channel'}
      </button>
    </form>
  );
}

interface LineProps {
  name: string;
  value: string;
  hint: string;
  change: (text: string) => void;
  isRequired?: boolean;
}

const Line = ({ name, value, hint, change, isRequired = false }: LineProps) => (
  <label>
    {name}
    <input
      value={value}
      required={isRequired}
      placeholder={hint}
      autocomplete="off"
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  </label>
);
