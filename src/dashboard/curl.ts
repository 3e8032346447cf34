/** Commands to paste into a terminal. */

/** Screens two rows. Quoted for any POSIX shell. Without a key the command reads one from `$SLUICE_KEY`. */
export const screenCommand = (base: string, key = '$SLUICE_KEY'): string =>
  [
    `curl -sS '${base}/v1/screen' \\`,
    `  -H ${key.startsWith('$') ? `"X-API-Key: ${key}"` : `'X-API-Key: ${key}'`} -H 'Content-Type: application/json' \\`,
    `  -d '{"source":"orders","rows":[{"id":1,"amount":99.5},{"id":2,"amount":"broken"}]}'`,
  ].join('\n');
