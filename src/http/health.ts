/** GET /v1/health: whether the process answers. Calls no store, so that an outage of a store does not cause restarts. */
import { Elysia } from 'elysia';
import { HEALTH } from './documents/service.ts';
import { otherMethods } from './methods.ts';

/** Version of the API, not of the program. */
const VERSION = '1.0.0';

export const health = new Elysia()
  .get('/v1/health', () => ({ status: 'ok', version: VERSION }), { detail: HEALTH })
  .all('/v1/health', otherMethods('GET, HEAD'));
