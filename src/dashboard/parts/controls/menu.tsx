/** A button that opens a list of actions above the page. The browser closes it on Escape and on a click elsewhere. */
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

interface Props {
  /** For screen readers. */
  label: string;
  children: ComponentChildren;
}

export function Menu({ label, children }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const place = ({ newState }: Pick<ToggleEvent, 'newState'>) => {
    if (newState !== 'open') return;
    const at = button.current!.getBoundingClientRect();
    const { style, offsetWidth, offsetHeight } = list.current!;
    const below = at.bottom + offsetHeight < innerHeight;
    style.left = `${Math.max(MARGIN, Math.min(at.right, innerWidth - MARGIN) - offsetWidth)}px`;
    style.top = `${below ? at.bottom : Math.max(MARGIN, at.top - offsetHeight)}px`;
    list.current!.querySelector<HTMLElement>('a, button')?.focus();
  };
  const close = () => list.current?.hidePopover();
  return (
    <>
      <button ref={button} type="button" class="quiet menu-button" popovertarget={id} aria-label={label}>
        ⋯
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a click on an action inside closes it */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: so does its key, which clicks */}
      <div ref={list} id={id} popover="auto" class="menu" onToggle={place} onClick={close}>
        {children}
      </div>
    </>
  );
}

/** Between a menu and the edge of the window. */
const MARGIN = 8;
