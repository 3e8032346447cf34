/** `sluice keys create`: an API key without a running service. */
import { randomBytes } from 'node:crypto';
import { createKey, keyName } from '../account/account-keys.ts';
import { emailIn } from '../account/email.ts';
import { KeyUses } from '../account/key-uses.ts';
import { readConfig } from '../config.ts';
import { quoted } from '../errors.ts';
import { openStores, type Stores } from '../stores/open.ts';
import { type Command, type Given, isOn, textIn } from './command.ts';
import { Failure } from './failure.ts';
import { EXIT } from './screen-command.ts';
import type { Terminal } from './terminal.ts';

/** The account of the service's first start. */
const FIRST_ACCOUNT = 'owner';

export const keysCreateCommand: Command = {
  name: 'keys create',
  summary: 'make an API key, with or without a running service',
  words: '',
  about: [
    'The key is written to standard output, once: only its SHA-256 is kept. It works at once, everywhere. The stores are those',
    'of the configuration (DATABASE_URL, DATA_DIR). Without --email or --account the key is for the account of the first start.',
  ],
  options: {
    email: {
      type: 'string',
      short: 'e',
      value: 'ADDRESS',
      help: 'Whose account: the address that signs in to it',
    },
    account: { type: 'string', short: 'a', value: 'ID', help: 'Whose account, by its id (acc_…) or name' },
    'new-account': {
      type: 'boolean',
      help: 'Make the account of --email if there is none, on the plan developer',
    },
    name: { type: 'string', short: 'n', value: 'NAME', help: 'What the key is for, as lists show it' },
    json: { type: 'boolean', help: 'Key, id, name and account as JSON' },
  },
  examples: [
    ['sluice keys create --name "nightly load"', 'A key for the first account'],
    ['sluice keys create --email ann@corp.com --new-account', 'A key for somebody who has none yet'],
    [
      'export SLUICE_KEY=$(sluice keys create --email ann@corp.com --name laptop)',
      'Straight into a variable',
    ],
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  if (given.words.length > 0) throw new Failure('Give the name by --name. See sluice keys create --help');
  const name = keyName(textIn(given, 'name'));
  const whose = whoseOf(given);
  const stores = await openStores(readConfig());
  const account = await accountOf(whose, stores);
  const { key, id } = await createKey(account, name, {
    keys: stores.keys,
    keyUses: new KeyUses(stores.keys),
    authentication: { forget: () => {} },
    now: Date.now,
    random: randomBytes,
  });
  if (isOn(given, 'json')) await terminal.write(`${JSON.stringify({ key, id, name, account })}\n`);
  else {
    terminal.tell(`Key ${id} ${quoted(name)} of account ${account}, shown only now:`);
    await terminal.write(`${key}\n`);
  }
  return EXIT.pass;
}

type Whose = { email: string; isNew: boolean } | { account: string };

/** Throws `Failure` before any store is opened. */
function whoseOf(given: Given): Whose {
  const [address, account] = [textIn(given, 'email'), textIn(given, 'account')];
  if (address !== undefined && account !== undefined)
    throw new Failure('Name the account by --email or by --account, not by both');
  const isNew = isOn(given, 'new-account');
  if (address === undefined) {
    if (isNew) throw new Failure('A new account needs an address: add --email');
    return { account: account ?? FIRST_ACCOUNT };
  }
  const email = emailIn(address);
  if (email === null) throw new Failure(`--email must be an e-mail address, not ${quoted(address)}`);
  return { email, isNew };
}

async function accountOf(whose: Whose, { signIn, identities }: Stores): Promise<string> {
  if ('email' in whose) {
    const { email, isNew } = whose;
    const found = isNew ? await signIn.ensureAccount(email, Date.now()) : await signIn.accountOfEmail(email);
    if (found !== null) return found;
    throw new Failure(
      `Nobody signs in with ${quoted(email)}; check the address, or make the account with --new-account`,
    );
  }
  const found = await identities.accountCalled(whose.account);
  if (found !== null) return found;
  if (whose.account === FIRST_ACCOUNT)
    throw new Failure(
      'There is no account yet: start the service once, or add --email ADDRESS --new-account',
    );
  throw new Failure(`There is no account ${quoted(whose.account)}`);
}
