/** Requests and answers of /v1/auth and /v1/account/claim. */
import { Type } from '@sinclair/typebox';
import { emailIn } from '../../account/email.ts';
import { checkedBy, count, dateTime, flag, MUST, text } from '../../report-schema/values.ts';

const EMAIL = checkedBy<string>(
  value => typeof value === 'string' && emailIn(value) !== null,
  "an e-mail address such as 'ann@corp.com'",
  { type: 'string', format: 'email', maxLength: 254, description: 'Address to send the code to' },
);

const CODE = "a string of six digits, such as '012345'";

export const CodeRequest = Type.Object({ email: EMAIL }, { $id: 'CodeRequest' });
export const CodeSent = Type.Object(
  { ok: flag('true'), message: text('What happens next, for people') },
  { $id: 'CodeSent' },
);

export const SessionRequest = Type.Object(
  { email: EMAIL, code: Type.String({ description: 'The six digits from the mail', [MUST]: CODE }) },
  { $id: 'SessionRequest' },
);
export const Session = Type.Object(
  {
    token: text('Send it as `Authorization: Bearer` instead of a key'),
    expires_at: dateTime('When the session expires'),
  },
  { $id: 'Session' },
);
export const Ended = Type.Object({ ok: flag('true') }, { $id: 'EndedSession' });

export const ListedSession = Type.Object(
  {
    id: text('Identifies the session; it grants no access'),
    created_at: dateTime('When the user signed in'),
    expires_at: dateTime('When it ends'),
    current: flag('Whether the request itself has this session'),
  },
  { $id: 'ListedSession' },
);
export const SessionList = Type.Object({ sessions: Type.Array(ListedSession) }, { $id: 'SessionList' });

export const EndedOne = Type.Object(
  { ok: flag('true'), id: text('The session that has ended') },
  { $id: 'EndedOneSession' },
);

export const EndedOthers = Type.Object(
  { ok: flag('true'), ended: count('Sessions that have ended') },
  { $id: 'EndedOtherSessions' },
);

export const ClaimRequest = Type.Object(
  { key: Type.String({ description: 'An API key of the account to sign in to' }) },
  { $id: 'ClaimRequest' },
);
export const Claimed = Type.Object(
  { ok: flag('true'), message: text('What happened, for people') },
  { $id: 'ClaimedAccount' },
);

export const SESSION_EXAMPLE = {
  id: 'session_9b74c9897bac770ffc029102',
  created_at: '2026-11-21T12:00:00.000Z',
  expires_at: '2026-11-28T12:00:00.000Z',
  current: true,
};
