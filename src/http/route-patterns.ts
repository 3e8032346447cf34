/** The name under which a request is logged and counted: its route pattern, never names and ids from its URL. */

/** For URLs without a route. */
export const UNMATCHED = 'unmatched';

/** Returns a function from a URL to its pattern, such as `/v1/jobs/{id}`. `paths`: the application's, such as `/v1/jobs/:id`. */
export function routePatterns(paths: Iterable<string>): (url: string) => string {
  const fixed = new Map<string, string>();
  const open = new Map<string, RegExp>();
  // A wildcard is the last to match.
  const ordered = [...paths].sort((a, b) => Number(a.endsWith('*')) - Number(b.endsWith('*')));
  for (const path of ordered) {
    const pattern = path.replace(/:([^/]+)/g, '{$1}');
    if (pattern === path && !path.endsWith('*')) fixed.set(path, pattern);
    else open.set(pattern, new RegExp(`^${path.replace(/:[^/]+/g, '[^/]+').replace(/\*$/, '.+')}$`));
  }
  return url => {
    const path = pathOf(url);
    return fixed.get(path) ?? firstOf(open, path) ?? UNMATCHED;
  };
}

function firstOf(open: ReadonlyMap<string, RegExp>, path: string): string | undefined {
  for (const [pattern, expression] of open) if (expression.test(path)) return pattern;
  return undefined;
}

/** The path without a trailing slash, which Elysia ignores too. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const end = url.slice(start).search(/[?#]/);
  const path = url.slice(start, end < 0 ? undefined : start + end);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
