/** API description of /v1/keys. */
import { Type } from '@sinclair/typebox';
import { NOT_PLAIN } from '../../plain-name.ts';
import { answer, json, operation, type Parameter } from './operation.ts';
import { CALLER, JSON_BODY, refusals } from './refusals.ts';
import { dateTime, flag, orNull, text, PLAIN } from '../../contract/values.ts';

const KEY_ID = text('Identifier of the key');
const NAME = text('Label given at creation');

const ApiKey = Type.Object(
  {
    id: KEY_ID,
    name: NAME,
    key_prefix: text('First characters of the key, for display'),
    created_at: dateTime('When it was created'),
    last_used: orNull(dateTime('When it was last used; null if never')),
  },
  { $id: 'ApiKey' },
);

const NewKey = Type.Object(
  { key: text('The key, shown only in this response'), id: KEY_ID, name: NAME },
  { $id: 'NewKey' },
);

const KeyRequest = Type.Object(
  {
    name: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 100,
        pattern: PLAIN,
        description: `Name of the key, without ${NOT_PLAIN}. Null or absent: API key`,
      }),
    ),
  },
  { $id: 'KeyRequest' },
);

const Deleted = Type.Object(
  { ok: flag('true'), id: KEY_ID, message: text('What happened, for people') },
  { $id: 'DeletedKey' },
);

const ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the key',
  schema: Type.String({ minLength: 1 }),
  example: 'key_2a67f63ac37db5fbefff385d',
};

export const LIST_KEYS = operation({
  operationId: 'listKeys',
  tags: ['Keys'],
  summary: 'List keys',
  description: 'Oldest first.',
  responses: {
    200: answer('The keys', Type.Object({ keys: Type.Array(ApiKey) }, { $id: 'KeyList' }), {
      keys: {
        keys: [
          {
            id: 'key_2a67f63ac37db5fbefff385d',
            name: 'nightly load',
            key_prefix: 'sluice_live_4fJ2',
            created_at: '2026-11-21T12:00:00.000Z',
            last_used: null,
          },
        ],
      },
    }),
    ...refusals(CALLER),
  },
});

export const CREATE_KEY = operation({
  operationId: 'createKey',
  tags: ['Keys'],
  summary: 'Create a key',
  description: 'The key works at once. An account may have at most 100 keys.',
  requestBody: { required: false, content: json(KeyRequest, { named: { name: 'nightly load' } }) },
  responses: {
    201: answer(
      'The key',
      NewKey,
      {
        made: {
          key: 'sluice_live_4fJ2b8QmTz0vXk3LrN6yHc1WpGs9DaEu7iRxYt5oBnV',
          id: 'key_2a67f63ac37db5fbefff385d',
          name: 'nightly load',
        },
      },
      {
        'Cache-Control': {
          description: 'Keeps caches from storing the key',
          required: true,
          schema: Type.String(),
          example: 'no-store',
        },
      },
    ),
    ...refusals([...JSON_BODY, 'KEY_LIMIT', ...CALLER], {
      INVALID_PARAMETER: `name must be a string of at most 100 characters without ${NOT_PLAIN}: it is of type number`,
      UNSUPPORTED_MEDIA_TYPE: 'The body must be JSON: send Content-Type: application/json',
      PAYLOAD_TOO_LARGE: 'Too large: a body may have at most 65,536 bytes',
      INVALID_JSON: 'The body must be one JSON text in UTF-8',
    }),
  },
});

export const DELETE_KEY = operation({
  operationId: 'deleteKey',
  tags: ['Keys'],
  summary: 'Delete a key',
  description: 'The key stops working within 5 seconds.',
  parameters: [ID],
  responses: {
    200: answer('The key is deleted', Deleted, {
      deleted: {
        ok: true,
        id: 'key_2a67f63ac37db5fbefff385d',
        message: 'The key is deleted and stops working within 5 seconds',
      },
    }),
    ...refusals(['NOT_FOUND', 'KEY_IN_USE', ...CALLER], {
      NOT_FOUND: "The account has no key 'key_2a67f63ac37db5fbefff385d'",
    }),
  },
});
