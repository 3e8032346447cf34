/** Encodes a source for a text column. Lone surrogates are escaped, because SQL would merge them into one character. */

export const sourceKey = (source: string): string => JSON.stringify(source);

export const sourceOf = (key: string): string => JSON.parse(key) as string;
