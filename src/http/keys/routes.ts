/** /v1/keys: the account's API keys. */
import {
  type AccountKeysDependencies,
  createKey,
  deleteKey,
  findKey,
  keyName,
  listKeys,
} from '../../account/account-keys.ts';
import type { KeyEntry } from '../../stores/ports.ts';
import { dateTime, dateTimeOrNull } from '../date-time.ts';
import { answer, idOf, noStore } from '../documents/operation.ts';
import { route } from '../route.ts';
import { ApiKey, DeletedKey, EXAMPLE, KeyList, KeyRequest, NewKey } from './schema.ts';

const DELETED = 'The key is deleted and stops working within 5 seconds';
const OF_KEY = idOf('key', EXAMPLE.id);
const NO_KEY = { NOT_FOUND: `The account has no key '${EXAMPLE.id}'` };

const list = route('GET /v1/keys', {
  operationId: 'listKeys',
  tag: 'Keys',
  summary: 'List keys',
  description: 'Oldest first.',
  answers: { 200: answer('The keys', KeyList, { keys: { keys: [EXAMPLE] } }) },
  handle: async ({ caller }, deps: AccountKeysDependencies) => ({
    keys: (await listKeys(caller.account.id, deps)).map(entryOf),
  }),
});

const create = route('POST /v1/keys', {
  operationId: 'createKey',
  tag: 'Keys',
  summary: 'Create a key',
  description: 'The key works at once. An account may have at most 100 keys.',
  body: { schema: KeyRequest, examples: { named: { name: EXAMPLE.name } } },
  answers: {
    201: answer(
      'The key',
      NewKey,
      {
        made: {
          key: 'sluice_live_4fJ2b8QmTz0vXk3LrN6yHc1WpGs9DaEu7iRxYt5oBnV',
          id: EXAMPLE.id,
          name: EXAMPLE.name,
        },
      },
      noStore('the key'),
    ),
  },
  refusals: ['KEY_LIMIT'],
  handle: ({ caller, body }, deps: AccountKeysDependencies) =>
    createKey(caller.account.id, keyName(body.name), deps),
});

const find = route('GET /v1/keys/:id', {
  operationId: 'findKey',
  tag: 'Keys',
  summary: 'Get a key',
  params: OF_KEY,
  answers: { 200: answer('The key', ApiKey, { nightly: EXAMPLE }) },
  refusals: ['NOT_FOUND'],
  messages: NO_KEY,
  handle: async ({ caller, id }, deps: AccountKeysDependencies) =>
    entryOf(await findKey(caller.account.id, id, deps)),
});

const remove = route('DELETE /v1/keys/:id', {
  operationId: 'deleteKey',
  tag: 'Keys',
  summary: 'Delete a key',
  description: 'The key stops working within 5 seconds.',
  params: OF_KEY,
  answers: {
    200: answer('The key is deleted', DeletedKey, {
      deleted: { ok: true, id: EXAMPLE.id, message: DELETED },
    }),
  },
  refusals: ['NOT_FOUND', 'KEY_IN_USE'],
  messages: NO_KEY,
  async handle({ caller, id }, deps: AccountKeysDependencies) {
    await deleteKey(caller, id, deps);
    return { ok: true, id, message: DELETED };
  },
});

const entryOf = ({ id, name, prefix, createdAt, lastUsed }: KeyEntry) => ({
  id,
  name,
  key_prefix: prefix,
  created_at: dateTime(createdAt),
  last_used: dateTimeOrNull(lastUsed),
});

export const keyRoutes = [list, create, find, remove];
