/** /v1/auth and /v1/account/claim: signing in and out with one-time codes and sessions, also to the account of a key. The rules are in `account/sign-in.ts`. */
import { secretSha256 } from '../../account/keys.ts';
import { emailIn } from '../../account/email.ts';
import { CODES_PER_EMAIL, type ListedSession as StoredSession, type SignIn } from '../../account/sign-in.ts';
import { quoted, Rejection } from '../../terms/errors.ts';
import type { Identity } from '../../stores/ports.ts';
import { bearerToken } from '../authentication.ts';
import { ANYBODY, type CallerDependencies, NOT_A_KEY, SESSION } from '../caller.ts';
import { ClientAddresses, type Subnet } from '../client-address.ts';
import { dateTime } from '../date-time.ts';
import { answer, idOf, noStore } from '../documents/operation.ts';
import { takeRate } from '../rate-limit.ts';
import { route } from '../route.ts';
import {
  Claimed,
  ClaimRequest,
  CodeRequest,
  CodeSent,
  Ended,
  EndedOne,
  EndedOthers,
  ListedSession,
  SESSION_EXAMPLE,
  Session,
  SessionList,
  SessionRequest,
} from './schema.ts';

/** For one client that enters codes or keys. A person needs two or three attempts, and one address may have many people. */
const ENTRY_RATE = { requestsPerSecond: 5, burst: 50 };

const CODE_SENT = {
  ok: true,
  message: `If this address can sign in, it will receive a code; at most ${CODES_PER_EMAIL} codes are sent per hour`,
};
const OF_SESSION = idOf('session, as in the list', SESSION_EXAMPLE.id);
const NO_SESSION = { NOT_FOUND: `The account has no session '${SESSION_EXAMPLE.id}'` };

interface Dependencies extends CallerDependencies {
  signIn: SignIn;
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly Subnet[];
}

const sendCode = route('POST /v1/auth/otp', {
  operationId: 'sendCode',
  tag: 'Signing in',
  summary: 'Request a one-time code',
  description:
    'The response is the same for every address and does not reveal whether it has an account. The code has six ' +
    'digits, works once, and expires after 10 minutes.',
  callers: ANYBODY,
  body: { schema: CodeRequest, examples: { ann: { email: 'ann@corp.com' } } },
  answers: { 202: answer('If the address can sign in, a code was sent', CodeSent, { sent: CODE_SENT }) },
  refusals: ['RATE_LIMITED', 'INTERNAL', 'SERVICE_UNAVAILABLE'],
  messages: { RATE_LIMITED: 'A client may request 20 codes per hour: try again in 3600 seconds' },
  async handle({ request, peer, body }, deps: Dependencies) {
    await deps.signIn.ask(emailIn(body.email)!, clientOf(request, peer, deps));
    return CODE_SENT;
  },
});

const openSession = route('POST /v1/auth/session', {
  operationId: 'openSession',
  tag: 'Signing in',
  summary: 'Sign in with the code',
  callers: ANYBODY,
  body: { schema: SessionRequest, examples: { ann: { email: 'ann@corp.com', code: '012345' } } },
  answers: {
    200: answer(
      'The session',
      Session,
      {
        opened: {
          token: 'sluice_session_4fJ2b8QmTz0vXk3LrN6yHc1WpGs9DaEu7iRxYt5oBnV',
          expires_at: '2026-11-28T12:00:00.000Z',
        },
      },
      noStore('the token'),
    ),
  },
  refusals: ['AUTH_INVALID', 'RATE_LIMITED', 'INTERNAL', 'SERVICE_UNAVAILABLE'],
  messages: {
    AUTH_INVALID: 'The code is wrong, used or expired: request a new one',
    RATE_LIMITED: 'A client may enter codes: 5 per second, 50 at once',
  },
  async handle({ request, peer, body }, deps: Dependencies) {
    await takeRate(`client:${clientOf(request, peer, deps)}`, ENTRY_RATE, 'A client may enter codes:', deps);
    const { token, expiresAt } = await deps.signIn.open(emailIn(body.email)!, body.code.trim());
    return { token, expires_at: dateTime(expiresAt) };
  },
});

const endSession = route('DELETE /v1/auth/session', {
  operationId: 'endSession',
  tag: 'Signing in',
  summary: 'Sign out',
  description: 'Ends the session of the token in the request.',
  callers: SESSION,
  answers: { 200: answer('The session has ended', Ended, { ended: { ok: true } }) },
  messages: { AUTH_INVALID: 'This session has ended: sign in again', INVALID_PARAMETER: NOT_A_KEY },
  async handle({ caller }, deps: Dependencies) {
    await end([{ sha256: secretSha256(caller.token) }], deps);
    return { ok: true };
  },
});

const listSessions = route('GET /v1/auth/sessions', {
  operationId: 'listSessions',
  tag: 'Signing in',
  summary: 'List the sessions of the account',
  description: 'Newest first, without expired ones.',
  answers: { 200: answer('The sessions', SessionList, { one: { sessions: [SESSION_EXAMPLE] } }) },
  async handle({ request, caller }, deps: Dependencies) {
    const own = ownSession(request, caller);
    const sessions = await deps.signIn.sessions(caller.account.id);
    return { sessions: sessions.map(session => entryOf(session, own)) };
  },
});

const findSession = route('GET /v1/auth/sessions/:id', {
  operationId: 'findSession',
  tag: 'Signing in',
  summary: 'Get a session of the account',
  params: OF_SESSION,
  answers: { 200: answer('The session', ListedSession, { own: SESSION_EXAMPLE }) },
  refusals: ['NOT_FOUND'],
  messages: NO_SESSION,
  handle: async ({ request, caller, id }, deps: Dependencies) =>
    entryOf(await sessionOf(caller, id, deps), ownSession(request, caller)),
});

const endOneSession = route('DELETE /v1/auth/sessions/:id', {
  operationId: 'endOneSession',
  tag: 'Signing in',
  summary: 'End a session of the account',
  description: 'Its token stops working within 5 seconds.',
  params: OF_SESSION,
  answers: {
    200: answer('The session has ended', EndedOne, { ended: { ok: true, id: SESSION_EXAMPLE.id } }),
  },
  refusals: ['NOT_FOUND'],
  messages: NO_SESSION,
  async handle({ caller, id }, deps: Dependencies) {
    await end([await sessionOf(caller, id, deps)], deps);
    return { ok: true, id };
  },
});

const endOtherSessions = route('DELETE /v1/auth/sessions', {
  operationId: 'endOtherSessions',
  tag: 'Signing in',
  summary: 'End all sessions of the account',
  description:
    'Keeps the session of the request itself. With an API key all sessions end. Tokens stop working within 5 seconds.',
  answers: { 200: answer('The sessions have ended', EndedOthers, { ended: { ok: true, ended: 2 } }) },
  async handle({ request, caller }, deps: Dependencies) {
    // Elysia ignores the slash, but the client probably means one session and its variable is empty.
    if (new URL(request.url).pathname.endsWith('/'))
      throw new Rejection(
        'INVALID_PARAMETER',
        'The id in the address is empty; to end all other sessions, leave out the slash',
      );
    const own = ownSession(request, caller);
    const others = (await deps.signIn.sessions(caller.account.id)).filter(({ sha256 }) => sha256 !== own);
    await end(others, deps);
    return { ok: true, ended: others.length };
  },
});

const claimAccount = route('POST /v1/account/claim', {
  operationId: 'claimAccount',
  tag: 'Signing in',
  summary: 'Sign in to the account of an API key',
  description:
    'Moves the address of the session, and its sessions, to the account of the key. That account must have no address, and the own account ' +
    'neither jobs, sources, keys, channels nor payments. Keys that are entered count toward the same limit as codes.',
  callers: SESSION,
  body: {
    schema: ClaimRequest,
    examples: { key: { key: 'sluice_live_4fJ2b8QmTz0vXk3LrN6yHc1WpGs9DaEu7iRxYt5oBnV' } },
  },
  answers: {
    200: answer('The session continues on the account of the key', Claimed, {
      claimed: { ok: true, message: 'Your address now signs in to the account of this key' },
    }),
  },
  refusals: ['NOT_FOUND', 'CLAIM_CONFLICT'],
  messages: {
    INVALID_PARAMETER: 'key must be an API key, such as sluice_live_4fJ2…',
    NOT_FOUND: 'No account has this API key',
    RATE_LIMITED: 'A client may enter keys: 5 per second, 50 at once',
  },
  async handle({ request, peer, caller: { account }, body }, deps: Dependencies) {
    await takeRate(`client:${clientOf(request, peer, deps)}`, ENTRY_RATE, 'A client may enter keys:', deps);
    await deps.signIn.claim(account.id, body.key);
    await deps.authentication.forgetAccount(account.id);
    return { ok: true, message: 'Your address now signs in to the account of this key' };
  },
});

const clientOf = (request: Request, peer: string | null, { trustedProxies }: Dependencies): string =>
  new ClientAddresses(trustedProxies).of(peer, request.headers.get('x-forwarded-for'));

/** SHA-256 of the request's own session; null with an API key. */
const ownSession = (request: Request, { key }: Identity): string | null =>
  key === null ? secretSha256(bearerToken(request.headers)!) : null;

async function sessionOf(
  { account }: Identity,
  id: string,
  { signIn }: Dependencies,
): Promise<StoredSession> {
  const session = (await signIn.sessions(account.id)).find(each => each.id === id);
  if (session === undefined) throw new Rejection('NOT_FOUND', `The account has no session ${quoted(id)}`);
  return session;
}

const entryOf = ({ id, sha256, createdAt, expiresAt }: StoredSession, own: string | null) => ({
  id,
  created_at: dateTime(createdAt),
  expires_at: dateTime(expiresAt),
  current: sha256 === own,
});

async function end(sessions: readonly { sha256: string }[], deps: Dependencies): Promise<void> {
  for (const { sha256 } of sessions) {
    await deps.signIn.end(sha256);
    deps.authentication.forget(sha256);
  }
}

export const authRoutes = [
  sendCode,
  openSession,
  endSession,
  listSessions,
  endOtherSessions,
  findSession,
  endOneSession,
  claimAccount,
];
