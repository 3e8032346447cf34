/** A source as SQL can hold it in a text column: lone surrogates, which it would merge into one, stay apart as escapes. */

export const sourceKey = (source: string): string => JSON.stringify(source);

export const sourceOf = (key: string): string => JSON.parse(key) as string;
