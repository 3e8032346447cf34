/** JSON of objects with thousands of members, in pieces. */
import type { Pieces } from '../cooperative-yield.ts';

/** `head` and then the objects of `large`, as the text of one object. */
export function* jsonOf(head: object, large: Record<string, object>): Pieces<string> {
  const texts = [JSON.stringify(head).slice(1, -1)];
  for (const [name, members] of Object.entries(large)) {
    const inner: string[] = [];
    for (const [key, value] of Object.entries(members)) {
      inner.push(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
      yield;
    }
    texts.push(`${JSON.stringify(name)}:{${inner.join()}}`);
  }
  return `{${texts.filter(text => text !== '').join()}}`;
}
