/** GET /v1/health: whether the process answers. It asks no store, so that a store's outage does not make a restart loop. */
import { Elysia } from 'elysia';
import { HEALTH } from './documents/service.ts';
import { otherMethods } from './methods.ts';

/** The interface's version, which is not the program's. */
const VERSION = '1.0.0';

export const health = new Elysia()
  .get('/v1/health', () => ({ status: 'ok', version: VERSION }), { detail: HEALTH })
  .all('/v1/health', otherMethods('GET, HEAD'));
