/** Brings what was posted with a key of an account without an address to the person who is signed in. */
import { useRef, useState } from 'preact/hooks';
import { claimAccount } from '../../api.ts';
import { useAction } from '../../use-action.ts';
import { FailureNote } from '../frame/failure.tsx';
import { Panel } from '../frame/panel.tsx';

export function Claim() {
  const [key, setKey] = useState('');
  const { isActing, failure, run } = useAction();
  const field = useRef<HTMLInputElement>(null);
  const claim = async (event: SubmitEvent) => {
    event.preventDefault();
    await run(async () => {
      await claimAccount(key.trim());
      // Every part of the page is of another account now.
      location.reload();
    });
    field.current?.focus();
  };
  return (
    <Panel title="Have you already posted with a key?">
      <p>Paste the key to see its batches here. From then on your address signs in to its account.</p>
      <form class="one-line" onSubmit={claim}>
        <label for="claimed-key">API key</label>
        <input
          ref={field}
          id="claimed-key"
          type="password"
          required
          value={key}
          placeholder="sluice_live_…"
          autocomplete="off"
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
        <button type="submit" disabled={isActing}>
          {isActing ? 'One moment…' : 'Use this account'}
        </button>
        {failure && <FailureNote failure={failure} />}
      </form>
    </Panel>
  );
}
