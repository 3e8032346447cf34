/** GET /v1/schema/{source}/history: the batches of a source, for charts. */
import { setImmediate } from 'node:timers/promises';
import { type HistoryEntry, type JobStore, TOO_LARGE } from '../../stores/ports.ts';
import { dateTime } from '../date-time.ts';
import { BLOCKED, DRIFTED } from '../documents/examples.ts';
import { answer } from '../documents/operation.ts';
import { BEFORE_JOB, integer, PAGE } from '../parameters.ts';
import { route } from '../route.ts';
import type { UnsentBytes } from '../unsent-bytes.ts';
import { History } from './schema.ts';

interface Dependencies {
  jobs: Pick<JobStore, 'history'>;
  unsent: UnsentBytes;
}

/** Of the answer. At least one batch is in it. */
export const MAX_HISTORY_BYTES = 2 * 1024 * 1024;
/** Batches in the first read: their trends have at most 4 MiB. */
const FIRST = 16;

const history = route('GET /v1/schema/:source/history', {
  operationId: 'sourceHistory',
  tag: 'Jobs',
  summary: 'List the batches of a source, for charts',
  description: 'Newest first; empty for a source that was never screened.',
  query: { limit: integer('Batches per page', PAGE), before: BEFORE_JOB },
  answers: {
    200: answer('The batches', History, {
      orders: {
        source: 'orders',
        batches: [
          {
            job_id: DRIFTED.request_id,
            created_at: DRIFTED.timestamp,
            status: 'WARN',
            health_score: 0.8,
            rows_received: 1200,
            drift_count: 1,
            drift: DRIFTED.drift,
            null_rates: { order_id: 0, coupon: 0 },
          },
          {
            job_id: BLOCKED.request_id,
            created_at: BLOCKED.timestamp,
            status: 'BLOCK',
            health_score: 0.2813,
            rows_received: 2,
            drift_count: 0,
            drift: [],
            null_rates: { order_id: 0, amount: 0, email: 0.5 },
          },
        ],
      },
    }),
  },
  async handle({ request, caller: { account }, source, query }, deps: Dependencies) {
    await deps.unsent.reserve(request, account.id, MAX_HISTORY_BYTES);
    const read = async (count: number, from: string | undefined) => {
      // An embedded store answers within this turn of the event loop.
      await setImmediate();
      return deps.jobs.history(account.id, { source, limit: count, before: from });
    };
    const { texts, next } = await pageOf(read, query.limit, query.before);
    const more = next === null ? '' : `,"next":${JSON.stringify(next)}`;
    const text = `{"source":${JSON.stringify(source)},"batches":[${texts}]${more}}`;
    return new Response(text, { headers: { 'Content-Type': 'application/json' } });
  },
});

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

export const historyRoutes = [history];
