/** Asks for confirmation, runs the action and shows its error. */
import type { ComponentChildren } from 'preact';
import { useAction } from '../../use-action.ts';
import { Dialog } from './dialog.tsx';
import { FailureNote } from '../frame/failure.tsx';

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
  const { isActing, failure, run } = useAction();
  const confirm = () =>
    run(async () => {
      await act();
      done();
    });
  return (
    <Dialog title={title} isActing={isActing} close={close}>
      {children}
      {failure && <FailureNote failure={failure} />}
      <div class="dialog-actions">
        <button type="button" disabled={isActing} onClick={close}>
          Cancel
        </button>
        <button type="button" class="danger" disabled={isActing} onClick={confirm}>
          {isActing ? 'One moment…' : verb}
        </button>
      </div>
    </Dialog>
  );
}
