/** Which signs of damage are looked for, as the text of a field. */
import type { SourceSettings } from './contract.ts';

type Signs = NonNullable<SourceSettings['signs']>;

/** `all`, `none`, or names with commas between them. */
export const signsText = (signs: Signs | null): string => {
  if (signs === null) return '';
  if (typeof signs === 'boolean') return signs ? 'all' : 'none';
  return signs.join(', ') || 'none';
};

/** As the API takes them: it knows which names are right. */
export function signsIn(text: string): boolean | string[] {
  const names = text
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
  const [first] = names;
  return names.length === 1 && (first === 'all' || first === 'none') ? first === 'all' : names;
}
