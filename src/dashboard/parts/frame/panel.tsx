/** A section of a page with a heading. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  title: string;
  /** Beside the heading. */
  aside?: ComponentChildren;
  /** Without padding around the content. */
  isFlush?: boolean;
  children: ComponentChildren;
}

export function Panel({ title, aside, isFlush = false, children }: Props) {
  const id = useId();
  return (
    <section class={isFlush ? 'panel flush' : 'panel'} aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id}>{title}</h2>
        {aside && <div class="panel-aside">{aside}</div>}
      </div>
      {children}
    </section>
  );
}
