/** /v1/auth and /v1/account/claim: signing in and out with one-time codes and sessions, also to the account of a key. The rules are in `account/sign-in.ts`. */
import { Elysia } from 'elysia';
import { emailIn } from '../account/email.ts';
import { secretSha256 } from '../account/keys.ts';
import { CODES_PER_EMAIL, type ListedSession, type SignIn } from '../account/sign-in.ts';
import { quoted, Rejection } from '../errors.ts';
import type { UploadLimits } from '../intake/upload.ts';
import type { JsonObject } from '../json-object.ts';
import { bearerToken } from './authentication.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { ClientAddresses, type Subnet } from './client-address.ts';
import { dateTime } from './date-time.ts';
import {
  CLAIM_ACCOUNT,
  END_ONE_SESSION,
  END_OTHER_SESSIONS,
  END_SESSION,
  LIST_SESSIONS,
  OPEN_SESSION,
  SEND_CODE,
} from './documents/auth.ts';
import { jsonBody } from './json-body.ts';
import { otherMethods } from './methods.ts';
import { takeRate } from './rate-limit.ts';

/** For one client that enters codes or keys. A person needs two or three attempts, and one address may have many people. */
const ENTRY_RATE = { requestsPerSecond: 5, burst: 50 };

const CODE_SENT = {
  ok: true,
  message: `If this address can sign in, it will receive a code; at most ${CODES_PER_EMAIL} codes are sent per hour`,
};

export interface AuthRouteDependencies extends CallerDependencies, UploadLimits {
  signIn: SignIn;
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly Subnet[];
}

/** The part of Bun's server that is used here. */
interface Peers {
  requestIP(request: Request): { address: string } | null;
}

export function authRoutes(deps: AuthRouteDependencies) {
  const addresses = new ClientAddresses(deps.trustedProxies);
  const clientOf = (request: Request, server: Peers | null) =>
    addresses.of(server?.requestIP(request)?.address ?? null, request.headers.get('x-forwarded-for'));
  return new Elysia()
    .post('/v1/auth/otp', ({ request, server }) => sendCode(request, clientOf(request, server), deps), {
      parse: 'none',
      detail: SEND_CODE,
    })
    .all('/v1/auth/otp', otherMethods('POST'))
    .post(
      '/v1/auth/session',
      ({ request, server }) => openSession(request, clientOf(request, server), deps),
      {
        parse: 'none',
        detail: OPEN_SESSION,
      },
    )
    .delete('/v1/auth/session', ({ request }) => endSession(request, deps), {
      parse: 'none',
      detail: END_SESSION,
    })
    .all('/v1/auth/session', otherMethods('POST, DELETE'))
    .get('/v1/auth/sessions', ({ request }) => listSessions(request, deps), { detail: LIST_SESSIONS })
    .delete('/v1/auth/sessions', ({ request }) => endOtherSessions(request, deps), {
      parse: 'none',
      detail: END_OTHER_SESSIONS,
    })
    .all('/v1/auth/sessions', otherMethods('GET, HEAD, DELETE'))
    .delete('/v1/auth/sessions/:id', ({ request, params }) => endOneSession(request, params.id ?? '', deps), {
      parse: 'none',
      detail: END_ONE_SESSION,
    })
    .all('/v1/auth/sessions/:id', otherMethods('DELETE'))
    .post('/v1/account/claim', ({ request, server }) => claim(request, clientOf(request, server), deps), {
      parse: 'none',
      detail: CLAIM_ACCOUNT,
    })
    .all('/v1/account/claim', otherMethods('POST'));
}

async function sendCode(request: Request, client: string, deps: AuthRouteDependencies): Promise<Response> {
  const email = emailOf(await jsonBody(request, deps));
  await deps.signIn.ask(email, client);
  return Response.json(CODE_SENT, { status: 202 });
}

async function openSession(request: Request, client: string, deps: AuthRouteDependencies): Promise<Response> {
  const body = await jsonBody(request, deps);
  const [email, code] = [emailOf(body), codeOf(body)];
  await takeRate(`client:${client}`, ENTRY_RATE, 'A client may enter codes:', deps);
  const { token, expiresAt } = await deps.signIn.open(email, code);
  return Response.json({ token, expires_at: dateTime(expiresAt) });
}

async function endSession(request: Request, deps: AuthRouteDependencies): Promise<Response> {
  const { key } = await callerOf(request, deps);
  const token = bearerToken(request.headers);
  if (key !== null || token === undefined)
    throw new Rejection(
      'INVALID_PARAMETER',
      'An API key has no session to end: send a session token as Authorization: Bearer, without X-API-Key',
    );
  const sha256 = secretSha256(token);
  await deps.signIn.end(sha256);
  deps.authentication.forget(sha256);
  return Response.json({ ok: true });
}

/** The account's sessions, and the SHA-256 of the request's own one; null with an API key. */
async function sessionsOf(request: Request, deps: AuthRouteDependencies) {
  const { account, key } = await callerOf(request, deps);
  const sessions = await deps.signIn.sessions(account.id);
  const own = key === null ? secretSha256(bearerToken(request.headers)!) : null;
  return { sessions, own };
}

async function listSessions(request: Request, deps: AuthRouteDependencies): Promise<Response> {
  const { sessions, own } = await sessionsOf(request, deps);
  const listed = sessions.map(({ id, sha256, createdAt, expiresAt }) => ({
    id,
    created_at: dateTime(createdAt),
    expires_at: dateTime(expiresAt),
    current: sha256 === own,
  }));
  return Response.json({ sessions: listed });
}

async function endOneSession(request: Request, id: string, deps: AuthRouteDependencies): Promise<Response> {
  const { sessions } = await sessionsOf(request, deps);
  const session = sessions.find(each => each.id === id);
  if (session === undefined) throw new Rejection('NOT_FOUND', `The account has no session ${quoted(id)}`);
  await end([session], deps);
  return Response.json({ ok: true, id });
}

async function endOtherSessions(request: Request, deps: AuthRouteDependencies): Promise<Response> {
  const { sessions, own } = await sessionsOf(request, deps);
  // Elysia ignores the slash, but the client probably means one session and its variable is empty.
  if (new URL(request.url).pathname.endsWith('/'))
    throw new Rejection(
      'INVALID_PARAMETER',
      'The id in the address is empty; to end all other sessions, leave out the slash',
    );
  const others = sessions.filter(({ sha256 }) => sha256 !== own);
  await end(others, deps);
  return Response.json({ ok: true, ended: others.length });
}

async function end(sessions: readonly ListedSession[], deps: AuthRouteDependencies): Promise<void> {
  for (const { sha256 } of sessions) {
    await deps.signIn.end(sha256);
    deps.authentication.forget(sha256);
  }
}

async function claim(request: Request, client: string, deps: AuthRouteDependencies): Promise<Response> {
  const { account, key } = await callerOf(request, deps);
  if (key !== null)
    throw new Rejection(
      'INVALID_PARAMETER',
      'An API key has no address: send a session token as Authorization: Bearer, without X-API-Key',
    );
  const body = await jsonBody(request, deps);
  await takeRate(`client:${client}`, ENTRY_RATE, 'A client may enter keys:', deps);
  await deps.signIn.claim(account.id, body.key);
  await deps.authentication.forgetAccount(account.id);
  return Response.json({ ok: true, message: 'Your address now signs in to the account of this key' });
}

function emailOf({ email }: JsonObject): string {
  const address = typeof email === 'string' ? emailIn(email) : null;
  if (address !== null) return address;
  const given = typeof email === 'string' ? quoted(email) : 'missing or not a string';
  throw new Rejection(
    'INVALID_PARAMETER',
    `email must be an e-mail address such as 'ann@corp.com': it is ${given}`,
  );
}

function codeOf({ code }: JsonObject): string {
  if (typeof code === 'string') return code.trim();
  throw new Rejection('INVALID_PARAMETER', "code must be a string of six digits, such as '012345'");
}
