/** Counts changes between light and dark: a canvas must be drawn again after each. */
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

/** A colour of the style sheet, for example `--pass`. */
export const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
