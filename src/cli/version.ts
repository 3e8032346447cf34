import { join } from 'node:path';

/** The versions of Sluice and Bun. */
export async function versionLine(): Promise<string> {
  const { version } = (await Bun.file(join(import.meta.dir, '../../package.json')).json()) as {
    version: string;
  };
  return `sluice ${version} (Bun ${Bun.version})\n`;
}
