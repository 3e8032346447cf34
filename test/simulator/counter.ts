/**
 * A model of RedisAllowance: rows counted in memory that all gates share, first filled from the ledger. A change without an answer is called
 * off, before or after it runs. It passes the contract of AllowanceStore.
 */
import { retryInBackground } from '../../src/time/background-retry.ts';
import type { AllowanceStore, ReserveResult, UsageStore } from '../../src/stores/ports.ts';
import type { Wire } from './wire.ts';

/** What a change goes through. */
type Call = Pick<Wire, 'call'>;

export class Counter {
  /** By account: the id of its counter, and the rows of each period. */
  readonly #counts = new Map<string, { id: string; rows: Map<number, number> }>();
  /** What each reservation has counted, by its own id; null: it was called off. */
  readonly #marks = new Map<string, { count: string; rows: number } | null>();
  readonly #ledger: UsageStore;
  #made = 0;

  constructor(ledger: UsageStore) {
    this.#ledger = ledger;
  }

  /** As one gate sees it. */
  connected(wire: Call): AllowanceStore {
    return {
      reserve: (...asked) => this.#reserve(wire, ...asked),
      release: async (account, periodStart, rows, count) => {
        const mark = this.#mark();
        await retryInBackground(() =>
          wire.call('counter.release', () => {
            if (this.#marks.has(mark)) return;
            this.#marks.set(mark, null);
            this.#giveBack(account, periodStart, rows, count);
          }),
        );
      },
      counted: async (account, periodStart) => {
        const most = Number.MAX_SAFE_INTEGER;
        return most - (await this.#reserve(wire, account, periodStart, 0, most))!.left;
      },
    };
  }

  async #reserve(
    wire: Call,
    account: string,
    periodStart: number,
    rows: number,
    allowance: number,
  ): Promise<ReserveResult | null> {
    const mark = this.#mark();
    try {
      return await wire.call('counter.reserve', async () => {
        const { id, rows: counts } = await this.#countOf(account, periodStart);
        const counted = counts.get(periodStart)! + rows;
        if (this.#marks.get(mark) === null || counted > allowance) return null;
        counts.set(periodStart, counted);
        this.#marks.set(mark, { count: id, rows });
        return { left: allowance - counted, count: id };
      });
    } catch (error) {
      const callOff = () =>
        wire.call('counter.callOff', () => {
          const held = this.#marks.get(mark);
          this.#marks.set(mark, null);
          if (held) this.#giveBack(account, periodStart, held.rows, held.count);
        });
      void retryInBackground(callOff).catch(() => {});
      throw error;
    }
  }

  #mark = (): string => String(++this.#made);

  /** With the period, filled from the ledger. */
  async #countOf(account: string, periodStart: number): Promise<{ id: string; rows: Map<number, number> }> {
    const count = this.#counts.get(account) ?? { id: this.#mark(), rows: new Map() };
    this.#counts.set(account, count);
    if (!count.rows.has(periodStart)) {
      const { rows } = await this.#ledger.usage(account, periodStart);
      // Another reservation may have filled it meanwhile.
      if (!count.rows.has(periodStart)) count.rows.set(periodStart, rows);
    }
    return count;
  }

  #giveBack(account: string, periodStart: number, rows: number, id: string): void {
    const count = this.#counts.get(account);
    const counted = count?.rows.get(periodStart);
    if (count?.id === id && counted !== undefined) count.rows.set(periodStart, Math.max(0, counted - rows));
  }
}
