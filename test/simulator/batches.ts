/** Clients that send batches until they have an answer or give up, and what they heard. */
import { PlanLimitExceeded } from '../../src/account/reservation.ts';
import { Rejection } from '../../src/terms/errors.ts';
import { ID_RANDOM_BYTES, requestId } from '../../src/names/request-id.ts';
import type { Screened } from '../../src/screen/screen.ts';
import type { Gate, Heard } from './gate.ts';
import type { World } from './world.ts';

/** What the rows of a batch look like: PASS, WARN or BLOCK against any baseline. */
const KINDS = ['good', 'good', 'good', 'warn', 'bad'] as const;
export type Kind = (typeof KINDS)[number];
/** Of five rows, with no value. */
const NULLS: Record<Kind, number> = { good: 0, warn: 2, bad: 5 };
const ROWS = 5;
/** Ids that one request makes: at most one each time that it asks for its key. */
const MOST_IDS = 256;

/** One batch, however often it is sent. */
export interface Batch {
  number: number;
  source: string;
  kind: Kind;
  rows: number;
  key: string | null;
  body: Uint8Array<ArrayBuffer>;
  /** Its clients stop after so many tries. */
  tries: number;
  /** In ms; null: it was never sent. */
  firstSentAt: number | null;
  /** When the last client was done, in ms. */
  doneAt: number;
  answers: Screened[];
  /** Requests that failed, or whose answer nobody heard. */
  failures: number;
  /** It was refused for want of rows. */
  isRefused: boolean;
}

export class Clients {
  readonly batches: Batch[] = [];
  /** Errors that no client may get. */
  readonly bugs: string[] = [];
  readonly #batchOf = new Map<string, Batch>();
  #requests = 0;
  #running = 0;

  constructor(
    readonly world: World,
    readonly gates: readonly Gate[],
    readonly sources: readonly string[],
  ) {}

  get areDone(): boolean {
    return this.#running === 0;
  }

  add(kind = this.world.random.pick(KINDS), source = this.world.random.pick(this.sources)): Batch {
    const { random } = this.world;
    const number = this.batches.length;
    const rows = kind === 'good' ? random.int(1, ROWS) : ROWS;
    const isKeyed = random.chance(0.8);
    const batch: Batch = {
      number,
      source,
      kind,
      rows,
      key: isKeyed ? `key-${number}` : null,
      body: bodyOf(number, kind, rows),
      // Without a key a repeat would be another batch.
      tries: !isKeyed ? 1 : random.chance(0.1) ? random.int(1, 2) : 100,
      firstSentAt: null,
      doneAt: 0,
      answers: [],
      failures: 0,
      isRefused: false,
    };
    this.batches.push(batch);
    return batch;
  }

  /** Sends a batch after so many ms, now and then by several clients at once. */
  send(batch: Batch, afterMs: number): void {
    const { random } = this.world;
    const clients = batch.key !== null && random.chance(0.2) ? random.int(2, 3) : 1;
    for (let i = 0; i < clients; i++) {
      this.#running++;
      const delay = afterMs + (i === 0 ? 0 : random.next() * 50);
      this.world.after(delay, null, () => void this.#sendAll(batch).finally(() => this.#running--));
    }
  }

  /** The batch whose request made this id. */
  batchOf(id: string): Batch {
    const batch = this.#batchOf.get(randomPart(id));
    if (batch === undefined) throw new Error(`no request has made the id ${id}`);
    return batch;
  }

  async #sendAll(batch: Batch): Promise<void> {
    const { world, gates } = this;
    batch.firstSentAt ??= world.now;
    for (let tries = 0; tries < batch.tries; tries++) {
      const gate = world.random.pick(gates);
      world.note(
        `client ${batch.number}`,
        `sends ${batch.kind} ${batch.key ?? 'without a key'} to ${gate.name}`,
      );
      const heard = await this.#impatient(gate.ask(each => each.screen(this.#request(batch))));
      world.note(`client ${batch.number}`, `hears ${described(heard)}`);
      batch.doneAt = world.now;
      if (typeof heard === 'object' && 'answer' in heard) {
        batch.answers.push(heard.answer);
        return;
      }
      batch.failures++;
      if (heard !== 'broken' && !this.#isForLater(heard.error, batch)) return;
      await world.sleep(world.random.chance(0.5) ? 1000 : world.random.next() * 300);
    }
  }

  #request(batch: Batch) {
    const { source, body, key } = batch;
    const request = ++this.#requests;
    let made = 0;
    const random = (length: number): Uint8Array => {
      const bytes = new Uint8Array(length);
      new DataView(bytes.buffer).setUint32(length - 4, request * MOST_IDS + made++);
      if (length === ID_RANDOM_BYTES) this.#batchOf.set(randomPart(requestId(0, bytes)), batch);
      return bytes;
    };
    return { source, body, key, random };
  }

  /** Some clients end the connection after a while. */
  #impatient(heard: Promise<Heard<Screened>>): Promise<Heard<Screened>> {
    const { world } = this;
    if (!world.random.chance(0.1)) return heard;
    const gone = world.sleep(world.random.int(5, 1500)).then(() => 'broken' as const);
    return Promise.race([heard, gone]);
  }

  /** Whether a client sends the batch again after this error. */
  #isForLater(error: unknown, batch: Batch): boolean {
    if (error instanceof PlanLimitExceeded) {
      batch.isRefused = true;
      return false;
    }
    const code = error instanceof Rejection ? error.code : null;
    if (code === 'SERVICE_UNAVAILABLE' || code === 'IDEMPOTENCY_CONFLICT') return true;
    this.bugs.push(`batch ${batch.number} got ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

function bodyOf(number: number, kind: Kind, rows: number): Uint8Array<ArrayBuffer> {
  const row = (i: number) => `{"amount":${i < NULLS[kind] ? 'null' : number * ROWS + i}}`;
  return new TextEncoder().encode(Array.from({ length: rows }, (_, i) => row(i)).join('\n'));
}

const randomPart = (id: string): string => id.slice(-16);

function described(heard: Heard<Screened>): string {
  if (heard === 'broken') return 'nothing: the connection ended';
  if ('error' in heard) return `${heard.error instanceof Rejection ? heard.error.code : String(heard.error)}`;
  const { report, replayed } = heard.answer;
  return `${report.status} ${report.request_id}${replayed ? ', replayed' : ''}`;
}
