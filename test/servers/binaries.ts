/**
 * Finds the servers that tests run against: the machine's binaries. If they are missing, and we are allowed to, Debian's
 * packages are installed. Otherwise the suites that need them are reported as skipped.
 */
import { existsSync, readdirSync } from 'node:fs';
import { install } from './install.ts';

const POSTGRES_VERSIONS = '/usr/lib/postgresql';
/** Postgres refuses to run as root. */
export const POSTGRES_USER = 'postgres';
const OLDEST_POSTGRES = 15;

const isRoot = process.getuid?.() === 0;

/** The folder with Postgres' binaries; null if there are none. */
export const postgresBinaries = (): string | null => {
  const onPath = Bun.which('initdb');
  if (onPath) return onPath.slice(0, -'/initdb'.length);
  if (!existsSync(POSTGRES_VERSIONS)) return null;
  const versions = readdirSync(POSTGRES_VERSIONS).map(Number);
  const newest = Math.max(...versions.filter(version => version >= OLDEST_POSTGRES));
  const folder = `${POSTGRES_VERSIONS}/${newest}/bin`;
  return existsSync(`${folder}/initdb`) ? folder : null;
};

export const redisBinary = (): string | null => Bun.which('redis-server');

if (redisBinary() === null) install('redis-server');
if (postgresBinaries() === null) install('postgresql');

/** A command that runs another one as a user who is not root. The child ends when this process ends. */
export function asChild(command: string[], user: string | null): string[] {
  const setpriv = Bun.which('setpriv');
  if (!setpriv) return command;
  const identity = isRoot && user ? [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'] : [];
  return [setpriv, ...identity, '--pdeathsig=KILL', '--', ...command];
}

export const mustChangeUser = (): boolean => isRoot;
