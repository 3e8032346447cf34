/** A page with its heading, tab title and actions. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { nameText } from '../values/name.tsx';

interface Props {
  /** In the tab, and the heading unless `heading` is given. */
  title: string;
  heading?: ComponentChildren;
  /** Above the heading: a link back. */
  above?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

const TAB_CHARACTERS = 60;

export function Page({ title, heading, above, actions, children }: Props) {
  useEffect(() => {
    document.title = `${nameText(title, TAB_CHARACTERS)} · Sluice`;
  }, [title]);
  return (
    <>
      {above && <p class="above">{above}</p>}
      <div class="page-head">
        <h1 tabIndex={-1}>{heading ?? title}</h1>
        {actions && <div class="actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}
