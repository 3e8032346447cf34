/** How messages about a file say what to do: by options. */
import type { Instructions } from '../../intake/instructions.ts';

const EXTENSIONS: Record<string, string> = { gzip: 'gz', zstd: 'zst' };

export const BY_OPTIONS: Instructions = {
  body: 'The file',
  give: 'screen',
  format: name => `add --format ${name}`,
  charset: name => `name the charset, as in --charset ${name}`,
  coding: name => `name the compression, as in --format csv.${EXTENSIONS[name]}`,
  // Quoted for a shell.
  delimiter: name => `add --delimiter ${/[;|~^]/.test(name) ? `'${name}'` : name}`,
  escape: () => "add --escape '\\'",
  headerLine: line => `add --header-line ${line}`,
};
