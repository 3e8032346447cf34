/** Requests and answers of /v1/keys. */
import { Type } from '@sinclair/typebox';
import { isKeyName, MAX_NAME_CHARACTERS } from '../../account/account-keys.ts';
import { checkedBy, dateTime, flag, orNull, PLAIN, text } from '../../report-schema/values.ts';
import { NOT_PLAIN } from '../../names/plain-name.ts';

const KEY_ID = text('Identifier of the key');
const NAME = text('Label given at creation');

export const ApiKey = Type.Object(
  {
    id: KEY_ID,
    name: NAME,
    key_prefix: text('First characters of the key, for display'),
    created_at: dateTime('When it was created'),
    last_used: orNull(dateTime('When it was last used; null if never')),
  },
  { $id: 'ApiKey' },
);

export const KeyList = Type.Object({ keys: Type.Array(ApiKey) }, { $id: 'KeyList' });

export const NewKey = Type.Object(
  { key: text('The key, shown only in this response'), id: KEY_ID, name: NAME },
  { $id: 'NewKey' },
);

export const KeyRequest = Type.Object(
  {
    name: Type.Optional(
      checkedBy<string | null>(
        isKeyName,
        `a string of at most ${MAX_NAME_CHARACTERS} characters without ${NOT_PLAIN}`,
        {
          type: ['string', 'null'],
          maxLength: MAX_NAME_CHARACTERS,
          pattern: PLAIN,
          description: `Name of the key, without ${NOT_PLAIN}. Null or absent: API key`,
        },
      ),
    ),
  },
  { $id: 'KeyRequest' },
);

export const DeletedKey = Type.Object(
  { ok: flag('true'), id: KEY_ID, message: text('What happened, for people') },
  { $id: 'DeletedKey' },
);

export const EXAMPLE = {
  id: 'key_2a67f63ac37db5fbefff385d',
  name: 'nightly load',
  key_prefix: 'sluice_live_4fJ2',
  created_at: '2026-11-21T12:00:00.000Z',
  last_used: null,
};
