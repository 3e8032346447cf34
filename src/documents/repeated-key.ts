/** Finds a member that an object of a JSON text has twice: parsers keep the last value and drop the others. */

export interface RepeatedKey {
  key: string;
  /** Keys and places of what is around the object. */
  path: (string | number)[];
  /** Of the second one, from 1. */
  line: number;
  firstLine: number;
}

/** An object or a list that is not closed. */
interface Open {
  /** With their lines; null: a list. */
  keys: Map<string, number> | null;
  /** The key or the place of the value that is read. */
  here: string | number;
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:\n]/g;

/**
 * The first one of a text that `JSON.parse` takes; with `member`, the first one in this member of the outermost object, or this member itself.
 */
export function repeatedKeyIn(json: string, member?: string): RepeatedKey | null {
  const open: Open[] = [];
  let line = 1;
  let text = '';
  for (const [token] of json.matchAll(TOKENS)) {
    const around = open.at(-1);
    if (token === '\n') line++;
    else if (token === '{') open.push({ keys: new Map(), here: '' });
    else if (token === '[') open.push({ keys: null, here: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (around?.keys === null) around.here = Number(around.here) + 1;
    } else if (token !== ':') text = token;
    else if (around?.keys) {
      const key = JSON.parse(text) as string;
      const firstLine = around.keys.get(key);
      around.keys.set(key, line);
      around.here = key;
      const isAsked = member === undefined || open[0]!.here === member;
      if (firstLine !== undefined && isAsked)
        return { key, path: open.slice(0, -1).map(({ here }) => here), line, firstLine };
    }
  }
  return null;
}
