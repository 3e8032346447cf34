/** A command to paste into a terminal. */
import { CopyButton } from './copy.tsx';

export const Command = ({ text, what }: { text: string; what: string }) => (
  <div class="command">
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, which takes a focus without a mouse */}
    <section tabIndex={0} aria-label={what}>
      <pre>{text}</pre>
    </section>
    <CopyButton text={text} what={what} />
  </div>
);
