/** Clients that post one batch after another and note what became of each; refused ones are sent again, as clients should. */
import { randomUUID } from 'node:crypto';
import { KEY, type Server } from './server.ts';

const AGAIN_MS = 50;
/** Between two batches of a client: it is faults that shall make them wait, not each other. */
const PAUSE_MS = 20;

export interface Reply {
  status: number;
  retryAfter: string | null;
  ms: number;
  /** Of a refusal. */
  code: string | undefined;
}

/** A batch that was answered with 200. */
export interface Receipt {
  id: string;
  rows: number;
}

export class Load {
  readonly receipts: Receipt[] = [];
  readonly replies: Reply[] = [];
  /** What went wrong but by an answer. */
  readonly failures: unknown[] = [];
  #ended = false;
  readonly #clients: Promise<void>[];

  /**
   * `keyed`: no, every second or every client sends each batch under an Idempotency-Key until it is answered with 200.
   * `mayRefuse`: servers that may refuse connections, which a balancer hides from clients.
   */
  constructor(
    clients: number,
    readonly next: () => Server,
    readonly keyed: boolean | 'every',
    readonly mayRefuse: (server: Server) => boolean = () => false,
  ) {
    this.#clients = Array.from({ length: clients }, (_, client) => this.#work(client));
  }

  /** Lets what is under way come to its end. */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#clients);
  }

  async #work(client: number): Promise<void> {
    const withKey = this.keyed === 'every' || (this.keyed && client % 2 === 0);
    for (let sent = 0; !this.#ended; sent++) {
      await Bun.sleep(PAUSE_MS);
      const rows = 1 + ((client * 7 + sent) % 40);
      const body = batchOf(`load ${client % 4}`, rows);
      const headers: Record<string, string> = withKey ? { 'Idempotency-Key': randomUUID() } : {};
      // What has a key is asked for to the end: whether it was screened, and once, is to be seen.
      while (!(await this.#post(body, headers, rows)) && (withKey || !this.#ended)) await Bun.sleep(AGAIN_MS);
    }
  }

  async #post(body: string, headers: Record<string, string>, rows: number): Promise<boolean> {
    const start = performance.now();
    const server = this.next();
    try {
      const response = await fetch(`${server.url}/v1/screen`, {
        method: 'POST',
        body,
        headers: { 'X-API-Key': KEY, 'Content-Type': 'application/json', ...headers },
      });
      const { request_id: id, code } = (await response.json()) as { request_id: string; code?: string };
      const { status } = response;
      const retryAfter = response.headers.get('retry-after');
      this.replies.push({ status, code, retryAfter, ms: performance.now() - start });
      if (status === 200) this.receipts.push({ id, rows });
      return status === 200;
    } catch (error) {
      const isRefused = (error as { code?: string }).code === 'ECONNREFUSED';
      if (!isRefused || !this.mayRefuse(server)) this.failures.push(error);
      return false;
    }
  }
}

export const batchOf = (source: string, rows: number): string =>
  JSON.stringify({
    source,
    rows: Array.from({ length: rows }, (_, id) => ({ id, city: 'Oslo', amount: id / 4 })),
  });
