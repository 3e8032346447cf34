/** The address of a server without what follows its path, as it may be pasted: `https://host/v1/` is `https://host`. Null for what is none. */
export function baseOf(given: string): string | null {
  if (!URL.canParse(given)) return null;
  const { protocol, origin, pathname } = new URL(given);
  return /^https?:$/.test(protocol) ? `${origin}${pathname.replace(/\/(v1\/?)?$/, '')}` : null;
}

/** What an address would lose, and be another's: the dots also when they are encoded. */
const LOST: ReadonlySet<unknown> = new Set(['', '.', '..', undefined]);

/** A path of the contract with its names, and the query. Throws `TypeError` for a name that no address can have. */
export function addressOf(
  path: string,
  names: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => {
    const name = names[key]!;
    if (LOST.has(name)) throw new TypeError(`No address can have '${name}' as its ${key}`);
    return encodeURIComponent(name);
  });
  return search === '' ? filled : `${filled}?${search}`;
}
