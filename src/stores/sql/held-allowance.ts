/**
 * Counts rows against the allowance for the only process of a SQLite file. What the ledger has is durable; rows of
 * requests in progress are held in memory, because they end with the process. So a reservation writes nothing, and a
 * killed process leaves none behind.
 *
 * Sums of the ledger are read once, and again when another connection has written to the file.
 */
import { LRUCache } from 'lru-cache';
import type { AllowanceStore, ReserveResult, Usage } from '../ports.ts';
import { available } from '../unavailable.ts';
import { findUsage } from './ledger.ts';
import type { SqliteDatabase, SqliteStatement } from './sqlite.ts';

/** Sums in memory: about 2 MB. */
const MAX_SUMS = 10_000;

export class HeldAllowance implements AllowanceStore {
  readonly #database: SqliteDatabase;
  readonly #usage: SqliteStatement<Usage>;
  /** Rows in the ledger, by account and period. */
  readonly #sums = new LRUCache<string, number>({ max: MAX_SUMS });
  /** Rows of requests in progress. */
  readonly #held = new Map<string, number>();
  #seenWrites = 0;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#usage = database.statement(findUsage);
  }

  reserve(
    account: string,
    periodStart: number,
    rows: number,
    allowed: number,
  ): Promise<ReserveResult | null> {
    return available(() => {
      const key = keyOf(account, periodStart);
      const left = allowed - this.#countedAs(key, account, periodStart) - rows;
      if (left < 0) return null;
      this.#hold(key, rows);
      return { left, count: '' };
    });
  }

  async release(account: string, periodStart: number, rows: number): Promise<void> {
    this.#hold(keyOf(account, periodStart), -rows);
  }

  counted(account: string, periodStart: number): Promise<number> {
    return available(() => this.#countedAs(keyOf(account, periodStart), account, periodStart));
  }

  /** Call it when held rows have been written to the ledger. */
  written(account: string, periodStart: number, rows: number): void {
    const key = keyOf(account, periodStart);
    this.#hold(key, -rows);
    const sum = this.#sums.get(key);
    if (sum !== undefined) this.#sums.set(key, sum + rows);
  }

  #hold(key: string, rows: number): void {
    const held = (this.#held.get(key) ?? 0) + rows;
    if (held > 0) this.#held.set(key, held);
    else this.#held.delete(key);
  }

  #countedAs(key: string, account: string, periodStart: number): number {
    const writes = this.#database.foreignWrites();
    if (writes !== this.#seenWrites) this.#sums.clear();
    this.#seenWrites = writes;
    let sum = this.#sums.get(key);
    if (sum === undefined) {
      sum = this.#usage.rows({ account, periodStart })[0]!.rows;
      this.#sums.set(key, sum);
    }
    return sum + (this.#held.get(key) ?? 0);
  }
}

const keyOf = (account: string, periodStart: number): string => `${periodStart}:${account}`;
