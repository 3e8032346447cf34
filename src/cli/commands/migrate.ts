/** `sluice migrate`: applies missing migrations to the configured stores. */
import { readConfig } from '../../config/config.ts';
import { openStores } from '../../stores/open.ts';
import { type Command, EXIT, type Given } from '../command.ts';
import { Failure } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'apply missing migrations to the stores',
  words: '',
  about: [
    'Applies missing migrations to the stores that DATABASE_URL, DATA_DIR and REDIS_URL name. Every start of the service does the',
    'same. Run this command if the service may not change tables, or to migrate before traffic comes. It is safe to run several',
    'at once, and to run it again.',
  ],
  options: {},
  examples: [
    ['sluice migrate', 'Migrate the SQLite files in ./data'],
    [
      'DATABASE_URL=postgres://sluice:…@db/sluice sluice migrate && npm start',
      'Migrate Postgres before a start',
    ],
  ],
  run,
};

async function run({ words }: Given, terminal: Terminal): Promise<number> {
  if (words.length > 0) throw new Failure('This command takes no arguments. See sluice migrate --help');
  const config = readConfig();
  const { dependencies } = await openStores(config);
  for (const { check } of dependencies) await check();
  const places = dependencies.map(({ name }) => (name === 'sqlite' ? `sqlite in ${config.dataDir}` : name));
  await terminal.write(`Up to date: ${[...new Set(places)].join(', ')}\n`);
  return EXIT.pass;
}
