/** Screens a window, on the path of every other batch, and says where each of its messages goes. */
import { createHash } from 'node:crypto';
import { StorageExceeded } from '../account/storage.ts';
import type { Report } from '../report-schema/report.ts';
import { IdempotencyConflict, Rejection } from '../terms/errors.ts';
import type { ScreenDependencies, Screened } from '../screen/screen.ts';
import type { Account } from '../stores/ports.ts';
import type { Input, StreamConfig } from './config.ts';
import type { Message, TopicPartition } from './port.ts';
import { screenWindow } from './window/screen-window.ts';
import { bodyOf, contentTypeOf, needsCheck, numbersOf, type Rows, sorted, unreadableOf } from './rows.ts';

/** Why a message is held, and the job that says so; null: no job read it. */
export interface Held {
  reason: string;
  requestId: string | null;
}

/** What is said of the rows of one source in a window. */
export interface Verdict {
  report: Report;
  source: string;
  /** Of its first and last row. */
  offsets: [number, number];
  rows: number;
  held: number;
}

export interface JudgedWindow {
  held: ReadonlyMap<Message, Held>;
  verdicts: Verdict[];
}

export interface JudgeDependencies extends ScreenDependencies {
  /** Whose jobs these are. Throws `Rejection` when the key is deleted. */
  account(): Promise<Account>;
}

/** What the engine says of a body that it cannot read. */
const ABOUT_ROWS = new Set(['INVALID_JSON', 'INVALID_ROWS', 'PAYLOAD_TOO_LARGE', 'INVALID_ENCODING']);

export class Judge {
  readonly #config: StreamConfig;
  readonly #deps: JudgeDependencies;

  constructor(config: StreamConfig, deps: JudgeDependencies) {
    this.#config = config;
    this.#deps = deps;
  }

  /** Throws `Rejection` where a store does not answer or the plan is used up: the window can be judged again. */
  async judge(window: readonly Message[], at: TopicPartition, input: Input): Promise<JudgedWindow> {
    const { sources, unreadable } = sorted(window, input, this.#deps.maxBodyBytes);
    const held = new Map<Message, Held>();
    const verdicts: Verdict[] = [];
    hold(held, unreadable);
    let full: StorageExceeded | null = null;
    for (const rows of sources) {
      // Once the account has no room for a source, other new sources are not screened: a producer may invent thousands.
      const isRefused: boolean = full !== null && (await this.#isNew(rows.source));
      const judged: Verdict | StorageExceeded | null = isRefused
        ? full
        : await this.#judgeSource(rows, at, input, held);
      if (!(judged instanceof StorageExceeded)) verdicts.push(...(judged === null ? [] : [judged]));
      else {
        full = judged;
        const reason = `not screened: ${judged.message}`;
        for (const message of rows.messages)
          if (!held.has(message)) held.set(message, { reason, requestId: null });
      }
    }
    return { held, verdicts };
  }

  async #isNew(source: string): Promise<boolean> {
    const { id } = await this.#deps.account();
    return !(await this.#deps.baselines.isKnown(id, source));
  }

  /** Null if there is no job: no message is a row, or the engine cannot read the batch. A rejection if the account has no room for the source. */
  async #judgeSource(
    { source, messages }: Rows,
    at: TopicPartition,
    input: Input,
    held: Map<Message, Held>,
  ): Promise<Verdict | StorageExceeded | null> {
    const account = await this.#deps.account();
    const batch = { source, at, input, account };
    const suspects = messages.filter(message => needsCheck(message, input));
    let rows = await this.#readable(messages, suspects, batch, held);
    while (rows.length > 0) {
      const screened = await this.#screen(rows, batch);
      if (!(screened instanceof Rejection)) return this.#route(screened.report, source, rows, input, held);
      if (screened instanceof StorageExceeded) return screened;
      const readable = await this.#readable(rows, rows, batch, held);
      if (readable.length === rows.length) {
        hold(held, new Map(rows.map(message => [message, screened.message])));
        return null;
      }
      rows = readable;
    }
    return null;
  }

  /** The messages but for those of `suspects` that are no row, which are held. */
  async #readable(
    messages: Message[],
    suspects: readonly Message[],
    { input, account }: BatchOf,
    held: Map<Message, Held>,
  ): Promise<Message[]> {
    const unreadable = await unreadableOf(suspects, input, this.#deps.threads, account.salt);
    hold(held, unreadable);
    return unreadable.size === 0 ? messages : messages.filter(message => !unreadable.has(message));
  }

  /** A rejection if the engine cannot read the batch, or if there is no room for a source that a message has named. */
  async #screen(
    rows: readonly Message[],
    { source, at, input, account }: BatchOf,
  ): Promise<Screened | Rejection> {
    const body = bodyOf(rows, input);
    const digest = this.#digest(rows, body, source, at, input);
    const named = { source, options: this.#config.options };
    const window = { account, isPerson: false, contentType: contentTypeOf(input), named, body, digest };
    const screenAs = (key: string) => screenWindow({ ...window, key }, this.#deps);
    try {
      return await screenAs(`kafka-${digest}`).catch(error => {
        // Its report was deleted to make room. Without a report nobody can say where its rows go.
        if (isDeleted(error)) return screenAs(`kafka-again-${digest}`);
        throw error;
      });
    } catch (error) {
      if (error instanceof Rejection && ABOUT_ROWS.has(error.code)) return error;
      // A source that a message names must not stop the partition. One in the configuration may: the operator has to know.
      if (error instanceof StorageExceeded && input.source.kind !== 'name') return error;
      throw error;
    }
  }

  /** The same for the same rows at the same place under the same options: then the first answer counts. */
  #digest(
    rows: readonly Message[],
    body: Uint8Array,
    source: string,
    { topic, partition }: TopicPartition,
    { format, columns }: Input,
  ): string {
    const { group, givenOptions } = this.#config;
    const place = [group, topic, partition, rows[0]!.offset, rows.at(-1)!.offset];
    return createHash('sha256')
      .update(JSON.stringify([place, source, format, columns, givenOptions]))
      .update(body)
      .digest('hex');
  }

  #route(
    report: Report,
    source: string,
    rows: readonly Message[],
    input: Input,
    held: Map<Message, Held>,
  ): Verdict {
    const { request_id: requestId, status, decision, quarantine } = report;
    const reasons = quarantine === undefined ? new Map<number, string>() : reasonsOf(quarantine);
    const isDiverted = status === 'BLOCK' && this.#config.onBlock === 'divert';
    const numbers = numbersOf(rows, input);
    let count = 0;
    for (const [i, message] of rows.entries()) {
      const own = reasons.get(numbers[i]!);
      const reason = own ?? (isDiverted ? `BLOCK: ${decision.reason}` : undefined);
      if (reason === undefined) continue;
      held.set(message, { reason, requestId });
      count++;
    }
    const offsets: Verdict['offsets'] = [rows[0]!.offset, rows.at(-1)!.offset];
    return { report, source, offsets, rows: rows.length, held: count };
  }
}

interface BatchOf {
  source: string;
  at: TopicPartition;
  input: Input;
  account: Account;
}

function hold(held: Map<Message, Held>, unreadable: ReadonlyMap<Message, string>): void {
  for (const [message, reason] of unreadable)
    held.set(message, { reason: `unreadable: ${reason}`, requestId: null });
}

/** The reasons of each row that is held back, by its number. */
function reasonsOf({ reasons, rows }: NonNullable<Report['quarantine']>): Map<number, string> {
  const words = reasons.map(({ code, field, rule }) => `${code} ${rule ?? field}`);
  return new Map(
    rows.map(([number, places]) => [number, places.map(place => words[place]).join('; ') || 'held']),
  );
}

const isDeleted = (error: unknown): boolean =>
  error instanceof IdempotencyConflict && error.why === 'deleted';
