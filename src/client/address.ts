/** The base address of a server: `https://host/v1/` becomes `https://host`. Null for an invalid address. */
export function baseOf(given: string): string | null {
  if (!URL.canParse(given)) return null;
  const { protocol, origin, pathname } = new URL(given);
  return /^https?:$/.test(protocol) ? `${origin}${pathname.replace(/\/(v1\/?)?$/, '')}` : null;
}

/** Path segments that URLs drop or resolve, even when they are encoded. */
const UNUSABLE: ReadonlySet<unknown> = new Set(['', '.', '..', undefined]);

/** Fills the names into a path of the contract and adds the query. Throws `TypeError` for a name that no address can have. */
export function addressOf(
  path: string,
  names: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | number | boolean | undefined>> = {},
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => {
    const name = names[key]!;
    if (UNUSABLE.has(name)) throw new TypeError(`No address can have '${name}' as its ${key}`);
    return encodeURIComponent(name);
  });
  return search === '' ? filled : `${filled}?${search}`;
}
