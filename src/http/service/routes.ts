/** GET /v1/health: whether the process answers. GET /v1/ready: whether it can serve requests now, for load balancers. */
import type { Logger } from 'pino';
import type { Dependency } from '../../stores/ports.ts';
import { ANYBODY } from '../caller.ts';
import { answer } from '../documents/operation.ts';
import { RETRY_AFTER } from '../documents/refusals.ts';
import { route } from '../route.ts';
import { Health, NotReady, Ready } from './schema.ts';

interface Dependencies {
  dependencies: readonly Dependency[];
  /** True if the process is stopping. */
  draining(): boolean;
  log: Logger;
}

/** Version of the API, not of the program. */
const HEALTHY = { status: 'ok', version: '1.0.0' };
const STOPPING = 'This process is stopping';

/** Calls no store, so that an outage of a store does not cause restarts. */
const health = route('GET /v1/health', {
  operationId: 'health',
  tag: 'Service',
  summary: 'Check whether the process answers',
  description: 'Calls no store.',
  callers: ANYBODY,
  answers: { 200: answer('The process answers', Health, { ok: HEALTHY }) },
  handle: () => HEALTHY,
});

const ready = route('GET /v1/ready', {
  operationId: 'ready',
  tag: 'Service',
  summary: 'Check whether requests can be served now',
  description: 'Reads from and writes to each store.',
  callers: ANYBODY,
  answers: {
    200: answer('Requests can be served', Ready, { ready: { status: 'ready', dependencies: ['sqlite'] } }),
    503: answer(
      'Requests cannot be served',
      NotReady,
      {
        missing: {
          message: 'Not reachable or not writable: redis',
          code: 'SERVICE_UNAVAILABLE',
          missing: ['redis'],
        },
        stopping: { message: STOPPING, code: 'SERVICE_UNAVAILABLE', missing: [] },
      },
      { 'Retry-After': RETRY_AFTER },
    ),
  },
  async handle(_, { dependencies, draining, log }: Dependencies) {
    // Before any store is asked: a balancer has half a second to notice.
    if (draining()) return notReady(STOPPING, []);
    const found = await Promise.all(dependencies.map(missingBecause));
    const missing: Missing = new Map();
    for (const [i, { name }] of dependencies.entries())
      if (found[i] !== null) missing.set(name, found[i] as string);
    report(missing, log);
    const names = [...missing.keys()];
    if (names.length > 0) return notReady(`Not reachable or not writable: ${names.join(', ')}`, names);
    // Several checks may be of one store.
    return { status: 'ready', dependencies: [...new Set(dependencies.map(({ name }) => name))] };
  },
});

/** The reason of each missing dependency, by name; empty if unknown. */
type Missing = Map<string, string>;

/** What was logged last by each log. */
const logged = new WeakMap<Logger, string>();

/** Probes come every second or two: logs only changes. */
function report(missing: Missing, log: Logger): void {
  const before = logged.get(log) ?? '';
  const now = missing.size === 0 ? '' : JSON.stringify([...missing]);
  if (now !== before) logChange(missing, log, before !== '');
  logged.set(log, now);
}

/** Null: nothing is missing. */
const missingBecause = ({ check }: Dependency): Promise<string | null> =>
  check().then(
    () => null,
    ({ cause }: Error) => (cause instanceof Error ? cause.message : ''),
  );

function logChange(missing: Missing, log: Logger, wasMissing: boolean): void {
  for (const [dependency, reason] of missing)
    log.warn({ dependency, reason }, 'not ready: a store is missing');
  if (missing.size === 0 && wasMissing) log.info('ready again');
}

const notReady = (message: string, missing: string[]): Response =>
  Response.json(
    { message, code: 'SERVICE_UNAVAILABLE', missing },
    { status: 503, headers: { 'Retry-After': '1' } },
  );

export const serviceRoutes = [health, ready];
