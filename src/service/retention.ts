/**
 * Deletes what accounts no longer use or may no longer keep, account by account, once a day: everything of sources that were not
 * screened for long, and reports beyond the plan's bytes, which matters when a plan has become smaller.
 */
import { setImmediate } from 'node:timers/promises';
import { reportBytesOf, type StorageLimits } from '../account/storage.ts';
import { DAY_MS } from '../time/durations.ts';
import type { Account, BaselineStore, JobStore } from '../stores/ports.ts';

/** Sources that are looked at between two turns of the event loop. */
const SOURCES_AT_ONCE = 50;
/** Few: a report may take megabytes, and not many more should go than must. */
const JOBS_AT_ONCE = 5;

export interface RetentionStores {
  identities: { accounts(after: string, limit: number): Promise<Account[]> };
  baselineStore: Pick<BaselineStore, 'sources' | 'lastLearned' | 'forget'>;
  jobs: Pick<JobStore, 'lastSeen' | 'pruneOldest'>;
}

export interface RetentionOptions extends StorageLimits {
  /** A source is idle after so many days without a batch. */
  sourceRetentionDays: number;
  /** Milliseconds since 1970. */
  now(): number;
}

export class Retention {
  readonly #stores: RetentionStores;
  readonly #options: RetentionOptions;
  #nextRound = 0;
  /** Id of the account that was done last. */
  #done = '';

  constructor(stores: RetentionStores, options: RetentionOptions) {
    this.#stores = stores;
    this.#options = options;
  }

  /** Does the next account. Returns 0 at the end of a round, and until the next one begins. Throws SERVICE_UNAVAILABLE. */
  async deleteSome(): Promise<number> {
    const now = this.#options.now();
    if (now < this.#nextRound) return 0;
    const [account] = await this.#stores.identities.accounts(this.#done, 1);
    if (account) await this.#clean(account, now - this.#options.sourceRetentionDays * DAY_MS);
    else this.#nextRound = now + DAY_MS;
    this.#done = account?.id ?? '';
    return account ? 1 : 0;
  }

  async #clean(account: Account, before: number): Promise<void> {
    const { baselineStore, jobs } = this.#stores;
    const most = reportBytesOf(account, this.#options);
    while ((await jobs.pruneOldest(account.id, most, JOBS_AT_ONCE)) > 0) await setImmediate();
    for (let after: string | null = null, isLast = false; !isLast; ) {
      const page: string[] = await baselineStore.sources(account.id, after, SOURCES_AT_ONCE);
      for (const source of await this.#idle(account.id, page, before))
        await baselineStore.forget(account.id, source);
      after = page.at(-1) ?? null;
      isLast = page.length < SOURCES_AT_ONCE;
      await setImmediate();
    }
  }

  /** A pinned source learns nothing, and a job may be deleted before its source is idle: the newer time counts. */
  async #idle(account: string, sources: string[], before: number): Promise<string[]> {
    const { baselineStore, jobs } = this.#stores;
    const seen = await jobs.lastSeen(account, sources);
    const old = sources.filter(source => (seen.get(source) ?? 0) < before);
    const learned = await Promise.all(old.map(source => baselineStore.lastLearned(account, source)));
    return old.filter((_, i) => learned[i]! < before);
  }
}
