/** A run as lines: each number with its path. */

export function lines(value: unknown, path: string[] = []): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [`${path.join('.').padEnd(48)} ${Array.isArray(value) ? value.join(' ') : value}`];
  return Object.entries(value).flatMap(([name, inner]) => lines(inner, [...path, name]));
}
