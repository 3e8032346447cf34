/** API description of /v1/auth and /v1/account/claim. */
import { Type } from '@sinclair/typebox';
import { count, dateTime, flag, text } from '../../contract/values.ts';
import { answer, json, OPEN, operation, SESSION_ONLY } from './operation.ts';
import { CALLER, FAULTS, JSON_BODY, refusals } from './refusals.ts';

const EMAIL = Type.String({ format: 'email', maxLength: 254, description: 'Address to send the code to' });

const CodeRequest = Type.Object({ email: EMAIL }, { $id: 'CodeRequest' });
const CodeSent = Type.Object(
  { ok: flag('true'), message: text('What happens next, for people') },
  { $id: 'CodeSent' },
);

const SessionRequest = Type.Object(
  { email: EMAIL, code: Type.String({ description: 'The six digits from the mail' }) },
  { $id: 'SessionRequest' },
);
const Session = Type.Object(
  {
    token: text('Send it as `Authorization: Bearer` instead of a key'),
    expires_at: dateTime('When the session expires'),
  },
  { $id: 'Session' },
);
const Ended = Type.Object({ ok: flag('true') }, { $id: 'EndedSession' });

const BODY_MESSAGES = {
  INVALID_JSON: 'The body must be one JSON text in UTF-8',
  INVALID_PARAMETER: "email must be an e-mail address such as 'ann@corp.com': it is 'ann'",
  PAYLOAD_TOO_LARGE: 'Too large: a body may have at most 65,536 bytes',
  UNSUPPORTED_MEDIA_TYPE: 'The body must be JSON: send Content-Type: application/json',
};

export const SEND_CODE = operation({
  operationId: 'sendCode',
  tags: ['Signing in'],
  summary: 'Request a one-time code',
  description:
    'The response is the same for every address and does not reveal whether it has an account. The code has six ' +
    'digits, works once, and expires after 10 minutes.',
  security: OPEN,
  requestBody: { required: true, content: json(CodeRequest, { ann: { email: 'ann@corp.com' } }) },
  responses: {
    202: answer('If the address can sign in, a code was sent', CodeSent, {
      sent: {
        ok: true,
        message: 'If this address can sign in, it will receive a code; at most 5 codes are sent per hour',
      },
    }),
    ...refusals([...JSON_BODY, 'RATE_LIMITED', ...FAULTS], {
      ...BODY_MESSAGES,
      RATE_LIMITED: 'A client may request 20 codes per hour: try again in 3600 seconds',
    }),
  },
});

export const OPEN_SESSION = operation({
  operationId: 'openSession',
  tags: ['Signing in'],
  summary: 'Sign in with the code',
  security: OPEN,
  requestBody: {
    required: true,
    content: json(SessionRequest, { ann: { email: 'ann@corp.com', code: '012345' } }),
  },
  responses: {
    200: answer(
      'The session',
      Session,
      {
        opened: {
          token: 'sluice_session_4fJ2b8QmTz0vXk3LrN6yHc1WpGs9DaEu7iRxYt5oBnV',
          expires_at: '2026-11-28T12:00:00.000Z',
        },
      },
      {
        'Cache-Control': {
          description: 'Keeps caches from storing the token',
          required: true,
          schema: Type.String(),
          example: 'no-store',
        },
      },
    ),
    ...refusals([...JSON_BODY, ...CALLER], {
      ...BODY_MESSAGES,
      AUTH_INVALID: 'The code is wrong, used or expired: request a new one',
      RATE_LIMITED: 'A client may enter codes: 5 per second, 50 at once',
    }),
  },
});

export const END_SESSION = operation({
  operationId: 'endSession',
  tags: ['Signing in'],
  summary: 'Sign out',
  description: 'Ends the session of the token in the request.',
  security: SESSION_ONLY,
  responses: {
    200: answer('The session has ended', Ended, { ended: { ok: true } }),
    ...refusals(['INVALID_PARAMETER', ...CALLER], {
      AUTH_INVALID: 'This session has ended: sign in again',
      INVALID_PARAMETER:
        'An API key has no session to end: send a session token as Authorization: Bearer, without X-API-Key',
    }),
  },
});

const SESSION_ID = 'session_9b74c9897bac770ffc029102';

const ListedSession = Type.Object(
  {
    id: text('Identifies the session; it grants no access'),
    created_at: dateTime('When the user signed in'),
    expires_at: dateTime('When it ends'),
    current: flag('Whether the request itself has this session'),
  },
  { $id: 'ListedSession' },
);
const SessionList = Type.Object({ sessions: Type.Array(ListedSession) }, { $id: 'SessionList' });

export const LIST_SESSIONS = operation({
  operationId: 'listSessions',
  tags: ['Signing in'],
  summary: 'List the sessions of the account',
  description: 'Newest first, without expired ones.',
  responses: {
    200: answer('The sessions', SessionList, {
      one: {
        sessions: [
          {
            id: SESSION_ID,
            created_at: '2026-11-21T12:00:00.000Z',
            expires_at: '2026-11-28T12:00:00.000Z',
            current: true,
          },
        ],
      },
    }),
    ...refusals(CALLER),
  },
});

const EndedOne = Type.Object(
  { ok: flag('true'), id: text('The session that has ended') },
  { $id: 'EndedOneSession' },
);

export const END_ONE_SESSION = operation({
  operationId: 'endOneSession',
  tags: ['Signing in'],
  summary: 'End a session of the account',
  description: 'Its token stops working within 5 seconds.',
  parameters: [
    {
      name: 'id',
      in: 'path',
      required: true,
      description: 'Of the session, as in the list',
      schema: Type.String(),
      example: SESSION_ID,
    },
  ],
  responses: {
    200: answer('The session has ended', EndedOne, { ended: { ok: true, id: SESSION_ID } }),
    ...refusals(['NOT_FOUND', ...CALLER], { NOT_FOUND: `The account has no session '${SESSION_ID}'` }),
  },
});

const EndedOthers = Type.Object(
  { ok: flag('true'), ended: count('Sessions that have ended') },
  { $id: 'EndedOtherSessions' },
);

export const END_OTHER_SESSIONS = operation({
  operationId: 'endOtherSessions',
  tags: ['Signing in'],
  summary: 'End all sessions of the account',
  description:
    'Keeps the session of the request itself. With an API key all sessions end. Tokens stop working within 5 seconds.',
  responses: {
    200: answer('The sessions have ended', EndedOthers, { ended: { ok: true, ended: 2 } }),
    ...refusals(CALLER),
  },
});

const ClaimRequest = Type.Object(
  { key: Type.String({ description: 'An API key of the account to sign in to' }) },
  { $id: 'ClaimRequest' },
);
const Claimed = Type.Object(
  { ok: flag('true'), message: text('What happened, for people') },
  { $id: 'ClaimedAccount' },
);

export const CLAIM_ACCOUNT = operation({
  operationId: 'claimAccount',
  tags: ['Signing in'],
  summary: 'Sign in to the account of an API key',
  description:
    'Moves the address of the session, and its sessions, to the account of the key. That account must have no address, and the own account ' +
    'neither jobs, sources, keys, channels nor payments. Keys that are entered count toward the same limit as codes.',
  security: SESSION_ONLY,
  requestBody: {
    required: true,
    content: json(ClaimRequest, { key: { key: 'sluice_live_4fJ2b8QmTz0vXk3LrN6yHc1WpGs9DaEu7iRxYt5oBnV' } }),
  },
  responses: {
    200: answer('The session continues on the account of the key', Claimed, {
      claimed: { ok: true, message: 'Your address now signs in to the account of this key' },
    }),
    ...refusals([...JSON_BODY, 'NOT_FOUND', 'CLAIM_CONFLICT', ...CALLER], {
      ...BODY_MESSAGES,
      INVALID_PARAMETER: 'key must be an API key, such as sluice_live_4fJ2…',
      NOT_FOUND: 'No account has this API key',
      RATE_LIMITED: 'A client may enter keys: 5 per second, 50 at once',
    }),
  },
});
