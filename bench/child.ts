/** A server in its own process: ours or a peer's. It prints its address in a line with `"url":"http://host:port"`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from './connection.ts';
import { peakRssMb, rssMb } from './machine.ts';

const MAIN = join(import.meta.dir, '../src/main.ts');
const PEERS = join(import.meta.dir, 'peers.ts');
const KEY = `sluice_live_${'bench'.repeat(8)}`;

export type PeerName = 'drain' | 'req_json' | 'elysia_echo' | 'durable';

export class Child {
  readonly #process: Bun.Subprocess<'ignore', 'pipe', 'inherit'>;
  /** Its data folder, if it has one. */
  readonly folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  port = 0;

  private constructor(command: string[], environment: Record<string, string>) {
    this.#process = Bun.spawn([process.execPath, ...command], {
      // It gets nothing else from our environment.
      env: { DATA_DIR: this.folder, ...environment },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    });
  }

  /** The real program, with authentication, limits, log and an empty data folder. Resolves when it listens. */
  static sluice(environment: Record<string, string> = {}): Promise<Child> {
    const own = {
      ...{ PORT: '0', BOOTSTRAP_API_KEY: KEY, BOOTSTRAP_PLAN: 'scale' },
      // As `npm start` and the container set it.
      BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '1000000',
    };
    return Child.#started([MAIN], { ...own, ...environment });
  }

  static peer(name: PeerName): Promise<Child> {
    return Child.#started([PEERS, name], {});
  }

  static async #started(command: string[], environment: Record<string, string>): Promise<Child> {
    const child = new Child(command, environment);
    child.port = await child.#listening();
    return child;
  }

  get pid(): number {
    return this.#process.pid;
  }

  connect(): Promise<Connection> {
    return Connection.open(this.port);
  }

  rssMb(): number {
    return rssMb(this.#process.pid);
  }

  peakRssMb(): number {
    return peakRssMb(this.#process.pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#process.exited;
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Reads the output to its end, since a full pipe would stop the writer. */
  #listening(): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const read = async () => {
      let output = '';
      const decoder = new TextDecoder();
      for await (const bytes of this.#process.stdout) {
        if (this.port !== 0) continue;
        output += decoder.decode(bytes, { stream: true });
        const port = /"url":"http:\/\/[^"]*:(\d+)\/?"/.exec(output)?.[1];
        if (port !== undefined) resolve(Number(port));
      }
      reject(new Error(`the server has ended before it listened: ${output}`));
    };
    read().catch(reject);
    return promise;
  }
}

/** The head of a request without a body, with the key. */
export const getHead = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\n\r\n`;

/** The head of a request that changes the settings of a source. */
export const settingsHead = (source: string, bytes: number): string =>
  `PUT /v1/schema/${source}/settings HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`;

/** The head of a post of this many bytes, the same for us and for peers, which ignore the key. */
export const postHead = (bytes: number, type = 'application/json'): string =>
  `POST /v1/screen HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${KEY}\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`;
