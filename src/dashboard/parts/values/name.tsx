/** A name of the data, of any length and writing direction: isolated, cut to its space, and with characters that would change its direction escaped. */
import { escaped, shortened } from '../../../terms/wording.ts';

/** Shown where a name is empty. */
export const NAMELESS = '(empty name)';

const SHOWN_CHARACTERS = 300;

export const Name = ({ text, isWhole = false }: { text: string; isWhole?: boolean }) =>
  text.trim() === '' ? (
    <span class="name nameless">{NAMELESS}</span>
  ) : (
    <bdi class={isWhole ? 'name whole' : 'name'} title={escaped(shortened(text))}>
      {escaped(shortened(text, SHOWN_CHARACTERS))}
    </bdi>
  );

/** The same for places that only take text: the title of a tab, a message, a list to choose from. */
export const nameText = (text: string, most: number): string =>
  text.trim() === '' ? NAMELESS : escaped(shortened(text, most));
