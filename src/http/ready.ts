/** GET /v1/ready: whether the process can serve requests now, for load balancers. */
import { Elysia } from 'elysia';
import type { Logger } from 'pino';
import type { Dependency } from '../stores/ports.ts';
import { READY } from './documents/service.ts';
import { otherMethods } from './methods.ts';

export interface ReadyDependencies {
  dependencies: readonly Dependency[];
  /** True if the process is stopping. */
  draining(): boolean;
  log: Logger;
}

/** The reason of each missing dependency, by name; empty if unknown. */
type Missing = Map<string, string>;

export function readyRoutes(deps: ReadyDependencies) {
  let logged = '';
  const report = (missing: Missing) => {
    const now = missing.size === 0 ? '' : JSON.stringify([...missing]);
    // Probes come every second or two: logs only changes.
    if (now !== logged) logChange(missing, deps.log, logged !== '');
    logged = now;
  };
  return new Elysia()
    .get('/v1/ready', () => answer(deps, report), { detail: READY })
    .all('/v1/ready', otherMethods('GET, HEAD'));
}

async function answer(
  { dependencies, draining }: ReadyDependencies,
  report: (missing: Missing) => void,
): Promise<Response> {
  // Before any store is asked: a balancer has half a second to notice.
  if (draining()) return notReady('This process is stopping', []);
  const found = await Promise.all(dependencies.map(missingBecause));
  const missing: Missing = new Map();
  for (const [i, { name }] of dependencies.entries())
    if (found[i] !== null) missing.set(name, found[i] as string);
  report(missing);
  const names = [...missing.keys()];
  if (names.length > 0) return notReady(`Not reachable or not writable: ${names.join(', ')}`, names);
  // Several checks may be of one store.
  return Response.json({ status: 'ready', dependencies: [...new Set(dependencies.map(({ name }) => name))] });
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
