/** /v1/keys: the account's API keys. */
import { Elysia } from 'elysia';
import {
  type AccountKeysDependencies,
  createKey,
  deleteKey,
  keyName,
  listKeys,
} from '../account/account-keys.ts';
import type { UploadLimits } from '../intake/upload.ts';
import type { KeyEntry } from '../stores/ports.ts';
import type { Authentication } from './authentication.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { dateTime, dateTimeOrNull } from './date-time.ts';
import { CREATE_KEY, DELETE_KEY, LIST_KEYS } from './documents/keys.ts';
import { jsonBody } from './json-body.ts';
import { otherMethods } from './methods.ts';

export interface KeyRouteDependencies extends CallerDependencies, AccountKeysDependencies, UploadLimits {
  authentication: Authentication;
}

export const keyRoutes = (deps: KeyRouteDependencies) =>
  new Elysia()
    .get(
      '/v1/keys',
      async ({ request }) => {
        const { account } = await callerOf(request, deps);
        return { keys: (await listKeys(account.id, deps)).map(entryOf) };
      },
      { detail: LIST_KEYS },
    )
    .post(
      '/v1/keys',
      async ({ request }) => {
        const { account } = await callerOf(request, deps);
        const { name } = await jsonBody(request, deps);
        return Response.json(await createKey(account.id, keyName(name), deps), { status: 201 });
      },
      { parse: 'none', detail: CREATE_KEY },
    )
    .all('/v1/keys', otherMethods('GET, HEAD, POST'))
    .delete(
      '/v1/keys/:id',
      async ({ request, params }) => {
        const caller = await callerOf(request, deps);
        // Elysia gives null for invalid percent-encoding, which names no key either.
        const id = params.id ?? '';
        await deleteKey(caller, id, deps);
        return { ok: true, id, message: 'The key is deleted and stops working within 5 seconds' };
      },
      { detail: DELETE_KEY },
    )
    .all('/v1/keys/:id', otherMethods('DELETE'));

const entryOf = ({ id, name, prefix, createdAt, lastUsed }: KeyEntry) => ({
  id,
  name,
  key_prefix: prefix,
  created_at: dateTime(createdAt),
  last_used: dateTimeOrNull(lastUsed),
});
