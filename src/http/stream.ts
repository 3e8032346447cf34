/** GET /v1/stream: a WebSocket for rows without end. Its frames: src/stream/socket/frames.ts; its document: documents/asyncapi.ts. */
import type { ErrorCode } from '../terms/errors.ts';
import { Rejection } from '../terms/errors.ts';
import { PLANS } from '../account/plans.ts';
import type { StageClock } from '../screen/stages.ts';
import type { Screened } from '../screen/screen.ts';
import type { Account } from '../stores/ports.ts';
import { TEMPORARY } from '../stream/socket/frames.ts';
import { Session, type SessionDependencies } from '../stream/socket/session.ts';
import { StreamBytes } from '../stream/socket/stream-bytes.ts';
import { factsOf, RequestFacts } from './request-facts.ts';
import { type MonitoringDependencies, record } from './monitoring.ts';
import { takeRate } from './rate-limit.ts';
import { page, type Route } from './route.ts';
import type { ScreenRouteDependencies } from './screen/respond.ts';
import { WireRequest } from './wire/request.ts';
import type { Channel, ChannelUser } from './wire/websocket.ts';
import { acceptOf, CLOSES } from './wire/websocket-frame.ts';

export type StreamRouteDependencies = ScreenRouteDependencies & MonitoringDependencies;

/** For the open frame. */
const OPEN_WITHIN_MS = 10_000;
/** Connections without a key whose open frame is still to come: anybody may make them. */
export const MAX_UNOPENED = 1000;
const SOCKET_KEY = /^[A-Za-z0-9+/]{22}==$/;

export function streamRoutes(): Route<StreamRouteDependencies>[] {
  const shared = { buffered: new StreamBytes(), unopened: 0 };
  return [page('/v1/stream', ({ request }, deps: StreamRouteDependencies) => upgrade(request, shared, deps))];
}

interface Shared {
  buffered: StreamBytes;
  unopened: number;
}

async function upgrade(request: Request, shared: Shared, deps: StreamRouteDependencies): Promise<Response> {
  const { headers } = request;
  checkHandshake(headers);
  if (!((request as unknown) instanceof WireRequest) || request.body !== null)
    throw new Rejection('INVALID_PARAMETER', 'A WebSocket begins with a request without a body');
  const isNamed = headers.has('x-api-key') || headers.has('authorization');
  if (isNamed) {
    const { account, key } = await deps.authentication.identityOf(headers);
    factsOf(request).account = account.id;
    deps.keyUses.note(key, deps.now());
    await takeRate(account.id, PLANS[account.plan], `The ${account.plan} plan allows requests:`, deps);
  } else if (shared.unopened >= MAX_UNOPENED)
    throw new Rejection('SERVICE_UNAVAILABLE', 'Too many connections have no key yet; send it in X-API-Key', {
      'Retry-After': '1',
    });
  (request as unknown as WireRequest).upgrade = channel =>
    newUser(channel, isNamed ? headers : null, shared, deps);
  const accept = acceptOf(headers.get('sec-websocket-key')!);
  return new Response(null, {
    status: 101,
    headers: { Upgrade: 'websocket', 'Sec-WebSocket-Accept': accept },
  });
}

/** RFC 6455, section 4.2.1. */
function checkHandshake(headers: Headers): void {
  const has = (name: string, word: string) =>
    (headers.get(name) ?? '')
      .toLowerCase()
      .split(/\s*,\s*/)
      .includes(word);
  if (!has('upgrade', 'websocket') || !has('connection', 'upgrade'))
    throw new Rejection('UPGRADE_REQUIRED', 'This address speaks WebSocket: connect with ws:// or wss://', {
      Upgrade: 'websocket',
    });
  if (headers.get('sec-websocket-version') !== '13')
    throw new Rejection('UPGRADE_REQUIRED', 'Sec-WebSocket-Version must be 13', {
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
    });
  if (!SOCKET_KEY.test(headers.get('sec-websocket-key') ?? ''))
    throw new Rejection('INVALID_PARAMETER', 'Sec-WebSocket-Key must be 16 bytes in base64');
}

/** `named`: headers with a key or a session; null: the key comes in the first frame. */
function newUser(
  channel: Channel,
  named: Headers | null,
  shared: Shared,
  deps: StreamRouteDependencies,
): ChannelUser {
  const outlet = {
    send: (frame: object) => channel.send(JSON.stringify(frame)),
    flushed: () => channel.flushed(),
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    close: (code: ErrorCode | null, reason: string) => channel.close(closeOf(code), reason),
  };
  const session: Session = new Session(outlet, sessionDependencies(named, shared.buffered, deps));
  let isCounted = named === null;
  if (isCounted) shared.unopened++;
  const opened = () => {
    if (isCounted) shared.unopened--;
    isCounted = false;
  };
  const timer = setTimeout(() => session.late(), OPEN_WITHIN_MS);
  return {
    text(message) {
      session.text(message);
      if (!session.isOpen) return;
      clearTimeout(timer);
      opened();
    },
    bytes: piece => session.bytes(piece),
    stop: () => session.stop(),
    closed() {
      clearTimeout(timer);
      opened();
      session.closed();
    },
  };
}

function sessionDependencies(
  named: Headers | null,
  buffered: StreamBytes,
  deps: StreamRouteDependencies,
): SessionDependencies {
  return {
    ...deps,
    buffered,
    isPerson: named !== null && !named.has('x-api-key'),
    account: async key => {
      const headers =
        named ?? new Headers(key === null || !/^[\x21-\x7e]*$/.test(key) ? {} : { 'X-API-Key': key });
      const identity = await deps.authentication.identityOf(headers);
      deps.keyUses.note(identity.key, deps.now());
      return identity.account;
    },
    screened: (screened, account, clock, ms) => note(screened, account, clock, ms, deps),
    bug: error => deps.log.error({ err: error }, 'bug'),
  };
}

/** Each window is logged and counted like a request. */
function note(
  screened: Screened,
  account: Account,
  clock: StageClock,
  ms: number,
  deps: StreamRouteDependencies,
): void {
  const facts = new RequestFacts(() => screened.report.request_id, null);
  facts.account = account.id;
  facts.screened = screened;
  facts.clock = clock;
  deps.meter?.started();
  record({ method: 'GET', route: '/v1/stream', status: 200, ms, facts }, deps);
}

/** 1011 and 1013 say that connecting again may help. */
function closeOf(code: ErrorCode | null): number {
  if (code === null) return CLOSES.normal;
  if (code === 'INTERNAL') return CLOSES.internal;
  if (code === 'PAYLOAD_TOO_LARGE') return CLOSES.tooBig;
  return TEMPORARY.has(code) ? CLOSES.tryLater : CLOSES.policy;
}
