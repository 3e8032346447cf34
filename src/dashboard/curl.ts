/** Commands to paste. */

/** Screens two rows. Quoted for any POSIX shell; the key is the reader's own, or a place for it. */
export const screenCommand = (base: string, key = '$SLUICE_KEY'): string =>
  [
    `curl -sS '${base}/v1/screen' \\`,
    `  -H ${key.startsWith('$') ? `"X-API-Key: ${key}"` : `'X-API-Key: ${key}'`} -H 'Content-Type: application/json' \\`,
    `  -d '{"source":"orders","rows":[{"id":1,"amount":99.5},{"id":2,"amount":"broken"}]}'`,
  ].join('\n');
