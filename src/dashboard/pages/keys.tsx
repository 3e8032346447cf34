/** The account's API keys: create, show once, delete. */
import { useRef, useState } from 'preact/hooks';
import { plural, shortened } from '../../terms/wording.ts';
import { base, createKey, deleteKey, keys } from '../api.ts';
import type { ApiKey, NewKey } from '../contract.ts';
import { screenCommand } from '../curl.ts';
import { Claim } from '../parts/account/claim.tsx';
import { Command } from '../parts/controls/command.tsx';
import { Confirm } from '../parts/controls/confirm.tsx';
import { Secret } from '../parts/controls/secret.tsx';
import { FailureNote } from '../parts/frame/failure.tsx';
import { Name } from '../parts/values/name.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Panel } from '../parts/frame/panel.tsx';
import { StatusMessage } from '../parts/frame/status-message.tsx';
import { Ago } from '../parts/values/time.tsx';
import { type Column, VirtualTable } from '../parts/controls/virtual-table.tsx';
import { WhenLoaded } from '../parts/frame/when-loaded.tsx';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';

const MAX_NAME = 100;

export function Keys() {
  const [loaded, again] = useLoaded(keys, []);
  const [created, setCreated] = useState<NewKey | null>(null);
  const [deleting, setDeleting] = useState<ApiKey | null>(null);
  const [message, setMessage] = useState('');
  const finish = () => {
    setMessage(`The key ${shortened(deleting!.name, 64)} is deleted.`);
    setDeleting(null);
    again();
    // The deleted row had the focus.
    document.querySelector<HTMLElement>('h1')?.focus();
  };
  return (
    <Page title="Keys">
      <StatusMessage text={message} />
      <Panel title="New key">
        <CreateForm
          created={key => {
            setCreated(key);
            again();
          }}
        />
      </Panel>
      <WhenLoaded what="the keys" loaded={loaded} again={again}>
        {list => <KeyList keys={list} remove={setDeleting} />}
      </WhenLoaded>
      {created && <Created made={created} close={() => setCreated(null)} />}
      {deleting && (
        <Confirm
          title="Delete this key?"
          verb="Delete key"
          act={() => deleteKey(deleting.id)}
          done={finish}
          close={() => setDeleting(null)}
        >
          <p>
            <Name text={deleting.name} /> (<code>{deleting.key_prefix}…</code>) stops working within seconds,
            wherever it is used. You cannot undo this.
          </p>
        </Confirm>
      )}
    </Page>
  );
}

interface ListProps {
  keys: readonly ApiKey[];
  remove: (key: ApiKey) => void;
}

function KeyList({ keys: list, remove }: ListProps) {
  if (list.length === 0)
    return (
      <>
        <div class="empty">
          <h2>No keys yet</h2>
          <p>A program needs a key to screen batches. Create one above, then paste:</p>
          <Command text={screenCommand(base)} what="the command that screens a batch" />
        </div>
        <Claim />
      </>
    );
  return (
    <Panel title={plural(list.length, 'key')} isFlush>
      <VirtualTable class="keys" label="Keys" items={list} keyOf={({ id }) => id} columns={columns(remove)} />
    </Panel>
  );
}

const columns = (remove: (key: ApiKey) => void): Column<ApiKey>[] => [
  { title: 'Name', class: 'c-name', cell: ({ name }) => <Name text={name} /> },
  { title: 'Key', class: 'c-prefix', cell: ({ key_prefix }) => <code>{key_prefix}…</code> },
  { title: 'Created', class: 'c-when', cell: ({ created_at }) => <Ago at={created_at} /> },
  {
    title: 'Last used',
    class: 'c-when',
    cell: ({ last_used }) => (last_used ? <Ago at={last_used} /> : <span class="faint">never</span>),
  },
  {
    title: 'Actions',
    class: 'c-actions',
    cell: key => (
      <button type="button" onClick={() => remove(key)}>
        Delete<span class="unseen"> {key.name}</span>
      </button>
    ),
  },
];

function CreateForm({ created }: { created: (key: NewKey) => void }) {
  const [name, setName] = useState('');
  const { isActing, failure, run } = useAction();
  const field = useRef<HTMLInputElement>(null);
  const create = async (event: SubmitEvent) => {
    event.preventDefault();
    const isCreated = await run(async () => {
      created(await createKey(name.trim()));
      setName('');
    });
    if (!isCreated) field.current?.focus();
  };
  return (
    <form class="one-line" onSubmit={create}>
      <label for="key-name">Name</label>
      <input
        ref={field}
        id="key-name"
        value={name}
        maxLength={MAX_NAME}
        placeholder="nightly load"
        autocomplete="off"
        onInput={({ currentTarget }) => setName(currentTarget.value)}
      />
      <button type="submit" class="primary" disabled={isActing}>
        {isActing ? 'One moment…' : 'Create key'}
      </button>
      {failure && <FailureNote failure={failure} />}
    </form>
  );
}

const Created = ({ made, close }: { made: NewKey; close: () => void }) => (
  <Secret
    title="Your new key"
    what="the key"
    label={`The key ${made.name}`}
    text={made.key}
    about="Copy it now: the server keeps only a hash, and cannot show it again. It works at once."
    close={close}
  >
    <p>Try it:</p>
    <Command text={screenCommand(base, made.key)} what="the command with this key" />
  </Secret>
);
