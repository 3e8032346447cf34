/** What the tests of teaching do with the application: a clock that goes on, batches, and words about them. */
import { expect } from 'bun:test';
import { type Answer, answerOf, batch, NOW, SCALE_KEY, Service } from './service.ts';

type Changes = ConstructorParameters<typeof Service>[0];

/** A service whose every look at the clock is a second after the one before: ids sort by their requests, and nobody asks too often. */
export function ticking(changes: Changes = {}): Service {
  let at = NOW;
  const now = () => {
    at += 1000;
    return at;
  };
  return new Service({ now, ...changes });
}

/** `body`: a text as it is, anything else as JSON. */
export async function ask(
  service: Service,
  method: string,
  path: string,
  body?: unknown,
  key = SCALE_KEY,
): Promise<Answer> {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const request = new Request(`http://localhost${path}`, {
    method,
    headers,
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
  });
  return answerOf(await service.app.handle(request));
}

export const say = (service: Service, what: string, body: unknown): Promise<Answer> =>
  ask(service, 'POST', `/v1/schema/orders/${what}`, body);

export const known = async (service: Service) => (await ask(service, 'GET', '/v1/schema/orders')).body;

export const versionsOf = async (service: Service) =>
  (await ask(service, 'GET', '/v1/schema/orders/versions')).body.versions;

export const screened = async (service: Service, rows: object[], options: object = {}) =>
  (await service.post(batch(rows, { options }))).body;

/** Orders that differ from batch to batch. */
export const orders = (seed: number, count = 120): Record<string, unknown>[] =>
  Array.from({ length: count }, (_, i) => ({
    id: seed * 1000 + i,
    amount: ((i * 37 + seed * 11) % 97) + 0.5,
    city: ['Oslo', 'Bergen', 'Bodø'][(i + seed) % 3],
    note: (i + seed) % 50 === 0 ? null : `note ${(i * 7 + seed * 13) % 41}`,
  }));

export const changedBy = (
  rows: Record<string, unknown>[],
  change: (row: Record<string, unknown>) => object,
): object[] => rows.map(row => ({ ...row, ...change(row) }));

/** What a verdict about a batch changes, and how many batches the history has after it. */
type Step = readonly [verdict: 'bad' | 'expected', changed: boolean, batches: number];

export async function sayInTurn(service: Service, job_id: unknown, steps: readonly Step[]) {
  for (const [verdict, changed, batches] of steps) {
    const { status, body } = await say(service, 'feedback', { job_id, verdict });
    expect([verdict, status, body.changed]).toEqual([verdict, 200, changed]);
    expect((await known(service)).batches).toBe(batches);
  }
}
