/** A native dialog: it keeps the focus inside, Escape closes it, and closing restores the focus. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface Props {
  title: ComponentChildren;
  isWide?: boolean;
  /** While it acts it stays open, so that its error is seen. */
  isActing?: boolean;
  close: () => void;
  children: ComponentChildren;
}

export function Dialog({ title, isWide = false, isActing = false, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current!;
    shown.showModal();
    return () => {
      shown.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={isWide ? 'wide' : ''}
      aria-labelledby={id}
      // A browser closes it at the second Escape, even if the first was prevented.
      onClose={() => (isActing ? dialog.current?.showModal() : close())}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
