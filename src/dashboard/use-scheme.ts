/** Counts the changes between light and dark: what is drawn and not styled has to be drawn again. */
import { useEffect, useState } from 'preact/hooks';

const DARK = matchMedia('(prefers-color-scheme: dark)');

export function useScheme(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = () => setChanges(before => before + 1);
    DARK.addEventListener('change', changed);
    return () => DARK.removeEventListener('change', changed);
  }, []);
  return changes;
}

/** A colour of the style sheet, such as `--pass`. */
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
