/** `sluice migrate`: brings the stores of the configuration up to date. */
import { readConfig } from '../config.ts';
import { openStores } from '../stores/open.ts';
import type { Command, Given } from './command.ts';
import { Failure } from './failure.ts';
import { EXIT } from './screen-command.ts';
import type { Terminal } from './terminal.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'bring the stores up to date',
  words: '',
  about: [
    'Applies the migrations that the stores of the configuration lack (DATABASE_URL, DATA_DIR, REDIS_URL), as every start of',
    'the service does. Run it by itself where the service has no right to change tables, or to see that it works before',
    'traffic comes. Any number of them at once do the work once; where there is none to do nothing changes.',
  ],
  options: {},
  examples: [
    ['sluice migrate', 'The SQLite files in ./data'],
    ['DATABASE_URL=postgres://sluice:…@db/sluice sluice migrate && npm start', 'Postgres, before a start'],
  ],
  run,
};

async function run({ words }: Given, terminal: Terminal): Promise<number> {
  if (words.length > 0) throw new Failure('It takes no file. See sluice migrate --help');
  const config = readConfig();
  const { dependencies } = await openStores(config);
  for (const { check } of dependencies) await check();
  const names = dependencies.map(({ name }) => (name === 'sqlite' ? `sqlite in ${config.dataDir}` : name));
  await terminal.write(`Up to date: ${names.join(', ')}\n`);
  return EXIT.pass;
}
