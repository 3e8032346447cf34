/** A secret that is shown once. */
import type { ComponentChildren } from 'preact';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  title: string;
  /** What it is: "the key". */
  what: string;
  /** For screen readers. */
  label: string;
  text: string;
  /** Above it. */
  about: string;
  /** Below it. */
  children?: ComponentChildren;
  close: () => void;
}

export const Secret = ({ title, what, label, text, about, children, close }: Props) => (
  <Dialog title={title} isWide close={close}>
    <p>{about}</p>
    <div class="command">
      <output class="secret" aria-label={label}>
        {text}
      </output>
      <CopyButton text={text} what={what} />
    </div>
    {children}
    <div class="dialog-actions">
      <button type="button" class="primary" onClick={close}>
        I have stored it
      </button>
    </div>
  </Dialog>
);
