/** GET /v1/ready: whether the process can serve requests now, for load balancers. */
import { Elysia } from 'elysia';
import type { Dependency } from '../stores/ports.ts';
import { READY } from './documents/service.ts';
import { otherMethods } from './methods.ts';

export interface ReadyDependencies {
  dependencies: readonly Dependency[];
  /** True if the process is stopping. */
  draining(): boolean;
}

export const readyRoutes = (deps: ReadyDependencies) =>
  new Elysia()
    .get('/v1/ready', () => answer(deps), { detail: READY })
    .all('/v1/ready', otherMethods('GET, HEAD'));

async function answer({ dependencies, draining }: ReadyDependencies): Promise<Response> {
  const found = await Promise.all(dependencies.map(isMissing));
  const missing = namesOf(dependencies.filter((_, i) => found[i]));
  if (missing.length > 0) return notReady(`Not reachable or not writable: ${missing.join(', ')}`, missing);
  if (draining()) return notReady('This process is stopping', []);
  return Response.json({ status: 'ready', dependencies: namesOf(dependencies) });
}

/** Several checks may be of one store. */
const namesOf = (dependencies: readonly Dependency[]): string[] => [
  ...new Set(dependencies.map(({ name }) => name)),
];

const isMissing = ({ check }: Dependency): Promise<boolean> =>
  check().then(
    () => false,
    () => true,
  );

const notReady = (message: string, missing: string[]): Response =>
  Response.json(
    { message, code: 'SERVICE_UNAVAILABLE', missing },
    { status: 503, headers: { 'Retry-After': '1' } },
  );
