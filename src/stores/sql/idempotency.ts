/** Claims and answers of requests with an Idempotency-Key. `jobs.ts` writes the answer with the job. */
import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, or, sql } from 'drizzle-orm';
import { retryInBackground } from '../../time/background-retry.ts';
import { DAY_MS } from '../../time/durations.ts';
import {
  type AskedClaim,
  type Claimed,
  DELETED,
  type HeldKey,
  type IdempotencyStore,
  type Replay,
} from '../ports.ts';
import { decompressed, unpacked } from './compressed.ts';
import { given, type Queries, type SqlDatabase, type Statements, statementsOn } from './database.ts';
import { idempotency, reports } from './schema.ts';

/** The clocks of replicas may differ by this much. */
const CLOCK_SKEW_MS = 10_000;

/** How long a repeat still finds the claim of a request that was never answered. */
const UNFINISHED_KEPT_MS = DAY_MS;

/** Until version 1.0, answers had a copy of the body. */
type StoredAnswer = { headers: Record<string, string> } & ({ job: string } | { body: string });

export class SqlIdempotency implements IdempotencyStore {
  readonly #run: Statements<typeof QUERIES>;

  constructor(database: SqlDatabase) {
    this.#run = statementsOn(database, QUERIES);
  }

  async claim(account: string, key: string, claim: AskedClaim): Promise<Claimed | HeldKey> {
    const latest = claim.expiresAt + CLOCK_SKEW_MS;
    const [claimed] = await this.#run.claim.run({ account, key, ...claim, latest }).catch(error => {
      // The claim may have happened, or may happen later.
      void this.unclaim(account, key, claim.claim).catch(() => {});
      throw error;
    });
    if (claimed) return claimed.unfinished === null ? 'claimed' : { unfinished: claimed.unfinished };
    const [existing] = await this.#run.read.run({ account, key });
    // Released in between: the caller may try again.
    if (!existing) return { requestSha256: claim.requestSha256, answer: null };
    return {
      requestSha256: existing.requestSha256,
      answer: existing.answer && (await this.#replay(decompressed(existing.answer))),
    };
  }

  async #replay({ headers, ...answer }: StoredAnswer): Promise<Replay | typeof DELETED> {
    if ('body' in answer) return { headers, body: answer.body };
    const [found] = await this.#run.document.run({ job: answer.job });
    return found ? { headers, body: unpacked(found.document)[0]! } : DELETED;
  }

  async forgetUnfinished(account: string, key: string, claim: string): Promise<boolean> {
    return (await this.#run.forget.run({ account, key, claim })).length > 0;
  }

  async renew(account: string, key: string, claim: string, expiresAt: number): Promise<void> {
    await this.#run.renew.run({ account, key, claim, expiresAt });
  }

  async unclaim(account: string, key: string, claim: string): Promise<void> {
    await retryInBackground(() => this.#run.unclaim.run({ account, key, claim }));
  }

  async prune(now: number, limit: number): Promise<number> {
    return (await this.#run.prune.run({ now, forgotten: now - UNFINISHED_KEPT_MS, limit })).length;
  }
}

const { account, key, requestSha256, claim, expiresAt, answer, unfinished } = idempotency;
const ended = lte(expiresAt, sql.placeholder('now'));
const named = and(eq(account, sql.placeholder('account')), eq(key, sql.placeholder('key')));
const running = and(named, eq(claim, sql.placeholder('claim')), isNull(answer));

const claimKey = (queries: Queries) =>
  queries
    .insert(idempotency)
    .values(given('account', 'key', 'requestSha256', 'claim', 'expiresAt'))
    .onConflictDoUpdate({
      target: [account, key],
      set: {
        requestSha256: sql`excluded.request_sha256`,
        claim: sql`excluded.claim`,
        expiresAt: sql`excluded.expires_at`,
        answer: sql`NULL`,
        unfinished: sql`CASE WHEN ${answer} IS NULL AND ${requestSha256} = excluded.request_sha256 THEN coalesce(${unfinished}, ${claim}) END`,
      },
      setWhere: sql`${ended} OR ${and(isNull(answer), gt(expiresAt, sql.placeholder('latest')))}`,
    })
    .returning({ unfinished });

const read = (queries: Queries) => queries.select({ requestSha256, answer }).from(idempotency).where(named);

const findDocument = (queries: Queries) =>
  queries
    .select({ document: reports.document })
    .from(reports)
    .where(eq(reports.job, sql.placeholder('job')));

const renew = (queries: Queries) =>
  queries.update(idempotency).set(given('expiresAt')).where(running).returning({ key });

const forget = (queries: Queries) =>
  queries.update(idempotency).set({ unfinished: null }).where(running).returning({ key });

const unclaim = (queries: Queries) =>
  queries
    .delete(idempotency)
    .where(and(running, isNull(unfinished)))
    .returning({ key });

function prune(queries: Queries) {
  const spent = and(ended, or(isNotNull(answer), lte(expiresAt, sql.placeholder('forgotten'))));
  const oldest = queries
    .select({ claim })
    .from(idempotency)
    .where(spent)
    .orderBy(asc(expiresAt))
    .limit(sql.placeholder('limit'));
  // Repeat `ended`: there is an index by expiry, and none by claim.
  return queries
    .delete(idempotency)
    .where(and(ended, inArray(claim, oldest)))
    .returning({ key });
}

const QUERIES = { claim: claimKey, read, document: findDocument, renew, forget, unclaim, prune };
