/** GET /v1/schema/{source}/history: the batches of a source, for charts. */
import { setImmediate } from 'node:timers/promises';
import { Elysia } from 'elysia';
import { type HistoryEntry, type JobStore, TOO_LARGE } from '../stores/ports.ts';
import { type CallerDependencies, callerOf } from './caller.ts';
import { dateTime } from './date-time.ts';
import { HISTORY } from './documents/schema.ts';
import { PAGE } from './jobs.ts';
import { otherMethods } from './methods.ts';
import { queryInteger, queryJobId } from './parameters.ts';
import { sourceInPath } from './source-path.ts';
import type { UnsentBytes } from './unsent-bytes.ts';

export interface HistoryRouteDependencies extends CallerDependencies {
  jobs: Pick<JobStore, 'history'>;
  unsent: UnsentBytes;
}

const PATH = '/v1/schema/:source/history';

export const historyRoutes = (deps: HistoryRouteDependencies) =>
  new Elysia()
    .get(PATH, ({ request }) => history(request, deps), { detail: HISTORY })
    .all(PATH, otherMethods('GET, HEAD'));

/** Of the answer. At least one batch is in it. */
export const MAX_HISTORY_BYTES = 2 * 1024 * 1024;
/** Batches in the first read: their trends have at most 4 MiB. */
const FIRST = 16;

async function history(request: Request, deps: HistoryRouteDependencies): Promise<Response> {
  const { account } = await callerOf(request, deps);
  const source = sourceInPath(request);
  const limit = queryInteger(request, 'limit', PAGE);
  const before = queryJobId(request, 'before');
  await deps.unsent.reserve(request, account.id, MAX_HISTORY_BYTES);
  const read = async (count: number, from: string | undefined) => {
    // An embedded store answers within this turn of the event loop.
    await setImmediate();
    return deps.jobs.history(account.id, { source, limit: count, before: from });
  };
  const { texts, next } = await pageOf(read, limit, before);
  const more = next === null ? '' : `,"next":${JSON.stringify(next)}`;
  const text = `{"source":${JSON.stringify(source)},"batches":[${texts}]${more}}`;
  return new Response(text, { headers: { 'Content-Type': 'application/json' } });
}

/** `next`: of the last batch, where the page ends because its bytes are used up. */
async function pageOf(
  read: (count: number, before: string | undefined) => Promise<HistoryEntry[]>,
  limit: number,
  before: string | undefined,
): Promise<{ texts: string[]; next: string | null }> {
  const texts: string[] = [];
  let bytes = 0;
  let last = before;
  while (texts.length < limit) {
    // As many as will fit if they are like those before: mostly all.
    const more = texts.length === 0 ? FIRST : Math.ceil((MAX_HISTORY_BYTES - bytes) / (bytes / texts.length));
    const wanted = Math.min(more, limit - texts.length);
    const entries = await read(wanted, last);
    for (const entry of entries) {
      const text = batchOf(entry);
      bytes += Buffer.byteLength(text) + 1;
      if (bytes > MAX_HISTORY_BYTES - HEAD_BYTES && texts.length > 0) return { texts, next: last! };
      texts.push(text);
      last = entry.job.id;
    }
    if (entries.length < wanted) break;
  }
  return { texts, next: null };
}

/** Of the source, at most 200 characters, and of the members around the batches. */
const HEAD_BYTES = 2048;

/** JSON with the stored texts unchanged. */
function batchOf({ job, trend }: HistoryEntry): string {
  const facts = JSON.stringify({
    job_id: job.id,
    created_at: dateTime(job.createdAt),
    status: job.status,
    health_score: job.healthScore,
    rows_received: job.rowsReceived,
    drift_count: job.driftCount,
  }).slice(0, -1);
  if (trend === TOO_LARGE) return `${facts},"drift":[],"null_rates":{},"too_large":true}`;
  const { drift, nullRates, nullRatesLeftOut } = trend;
  const leftOut = nullRatesLeftOut ? `,"null_rates_left_out":${nullRatesLeftOut}` : '';
  return `${facts},"drift":${drift},"null_rates":${nullRates}${leftOut}}`;
}
