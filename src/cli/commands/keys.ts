/** `sluice keys create`: makes an API key, without the service. */
import { randomBytes } from 'node:crypto';
import { createKey, keyName } from '../../account/account-keys.ts';
import { emailIn } from '../../account/email.ts';
import { KeyUses } from '../../account/key-uses.ts';
import { readConfig } from '../../config/config.ts';
import { quoted } from '../../terms/errors.ts';
import { openStores, type Stores } from '../../stores/open.ts';
import { FIRST_ACCOUNT } from '../../stores/sql/ids.ts';
import { EXIT, type Command, type Given, isOn, textIn } from '../command.ts';
import { Failure } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

export const keysCreateCommand: Command = {
  name: 'keys create',
  summary: 'create an API key; the service need not run',
  words: '',
  about: [
    'Writes the key to standard output. It is shown only once: the store keeps its SHA-256. It works at once. DATABASE_URL and',
    'DATA_DIR say where the store is. Without --email or --account the key belongs to the account of the first start.',
  ],
  options: {
    email: {
      type: 'string',
      short: 'e',
      value: 'ADDRESS',
      help: 'Account, by the address that signs in to it',
    },
    account: { type: 'string', short: 'a', value: 'ID', help: 'Account, by its id (acc_…) or name' },
    'new-account': {
      type: 'boolean',
      help: 'Create the account of --email if it does not exist, on the developer plan',
    },
    name: { type: 'string', short: 'n', value: 'NAME', help: 'Name of the key in lists' },
    json: { type: 'boolean', help: 'Print key, id, name and account as JSON' },
  },
  examples: [
    ['sluice keys create --name "nightly load"', 'Create a key for the first account'],
    ['sluice keys create --email ann@corp.com --new-account', 'Create a key and its account'],
    [
      'export SLUICE_KEY=$(sluice keys create --email ann@corp.com --name laptop)',
      'Put a key into a variable',
    ],
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  if (given.words.length > 0)
    throw new Failure('This command takes no arguments: use --name NAME. See sluice keys create --help');
  const name = keyName(textIn(given, 'name'));
  const owner = ownerOf(given);
  const stores = await openStores(readConfig());
  const account = await accountOf(owner, stores);
  const { key, id } = await createKey(account, name, {
    keys: stores.keys,
    keyUses: new KeyUses(stores.keys),
    authentication: { forget: () => {} },
    now: Date.now,
    random: randomBytes,
  });
  if (isOn(given, 'json')) await terminal.write(`${JSON.stringify({ key, id, name, account })}\n`);
  else {
    terminal.tell(`Key ${id} ${quoted(name)} of account ${account}, shown only once:`);
    await terminal.write(`${key}\n`);
  }
  return EXIT.pass;
}

type Owner = { email: string; isNew: boolean } | { account: string };

/** Who gets the key. Throws `Failure` before any store is opened. */
function ownerOf(given: Given): Owner {
  const [address, account] = [textIn(given, 'email'), textIn(given, 'account')];
  if (address !== undefined && account !== undefined) throw new Failure('Use --email or --account, not both');
  const isNew = isOn(given, 'new-account');
  if (address === undefined) {
    if (isNew) throw new Failure('A new account needs an address: add --email');
    return { account: account ?? FIRST_ACCOUNT };
  }
  const email = emailIn(address);
  if (email === null) throw new Failure(`--email must be an e-mail address, not ${quoted(address)}`);
  return { email, isNew };
}

async function accountOf(owner: Owner, { signIn, identities }: Stores): Promise<string> {
  if ('email' in owner) {
    const { email, isNew } = owner;
    const found = isNew ? await signIn.ensureAccount(email, Date.now()) : await signIn.accountOfEmail(email);
    if (found !== null) return found;
    throw new Failure(
      `No account has the address ${quoted(email)}; check it, or create the account with --new-account`,
    );
  }
  const found = await identities.accountCalled(owner.account);
  if (found !== null) return found;
  if (owner.account === FIRST_ACCOUNT)
    throw new Failure(
      'There is no account yet: start the service once, or add --email ADDRESS --new-account',
    );
  throw new Failure(`There is no account ${quoted(owner.account)}`);
}
