/**
 * Where the servers that tests run against come from: the machine's binaries, installed from Debian's packages where
 * they are missing and we may. Elsewhere the suites that need them are named as skipped.
 */
import { existsSync, readdirSync } from 'node:fs';
import { install } from './install.ts';

const POSTGRES_VERSIONS = '/usr/lib/postgresql';
/** Of what Postgres needs, since it refuses to run as root. */
export const POSTGRES_USER = 'postgres';
const OLDEST_POSTGRES = 15;

const isRoot = process.getuid?.() === 0;

/** The folder with Postgres' binaries; null without any. */
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

/** The command that runs another one as a child that ends with us, as a user who is not root. */
export function asChild(command: string[], user: string | null): string[] {
  const setpriv = Bun.which('setpriv');
  if (!setpriv) return command;
  const identity = isRoot && user ? [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'] : [];
  return [setpriv, ...identity, '--pdeathsig=KILL', '--', ...command];
}

export const mustChangeUser = (): boolean => isRoot;
