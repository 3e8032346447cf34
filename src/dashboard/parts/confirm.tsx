/** Asks for confirmation, runs the action and shows its error. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Failure } from '../api.ts';
import { asFailure } from '../use-loaded.ts';
import { Dialog } from './dialog.tsx';
import { FailureNote } from './failure.tsx';

interface Props {
  title: string;
  /** On the confirming button. */
  verb: string;
  act: () => Promise<unknown>;
  done: () => void;
  close: () => void;
  children: ComponentChildren;
}

export function Confirm({ title, verb, act, done, close, children }: Props) {
  const [isActing, setActing] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const confirm = async () => {
    setActing(true);
    setFailure(null);
    try {
      await act();
      done();
    } catch (error) {
      setFailure(asFailure(error));
      setActing(false);
    }
  };
  return (
    <Dialog title={title} close={close}>
      {children}
      {failure && <FailureNote failure={failure} />}
      <div class="dialog-actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="danger" disabled={isActing} onClick={confirm}>
          {isActing ? 'One moment…' : verb}
        </button>
      </div>
    </Dialog>
  );
}
