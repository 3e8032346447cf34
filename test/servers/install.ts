/** Debian's packages for what tests run against, where we may install them. */
const isRoot = process.getuid?.() === 0;

/** Tries once to install what is missing; without root or apt-get it does nothing. */
export function install(name: string): void {
  if (!isRoot || !Bun.which('apt-get')) return;
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { env: environment, stdout: 'ignore', stderr: 'inherit' } as const;
  Bun.spawnSync(['apt-get', 'update', '-qq'], options);
  Bun.spawnSync(['apt-get', 'install', '-qq', '--no-install-recommends', name], options);
}
