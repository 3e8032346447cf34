/** Installs Debian's packages that tests need, if we are allowed to. */
const isRoot = process.getuid?.() === 0;

/** Tries once to install the missing packages; without root or apt-get it does nothing. */
export function install(name: string): void {
  if (!isRoot || !Bun.which('apt-get')) return;
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { env: environment, stdout: 'ignore', stderr: 'inherit' } as const;
  Bun.spawnSync(['apt-get', 'update', '-qq'], options);
  Bun.spawnSync(['apt-get', 'install', '-qq', '--no-install-recommends', name], options);
}
