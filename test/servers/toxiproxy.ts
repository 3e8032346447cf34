/** Toxiproxy: ways to servers that are made bad while they are in use (github.com/Shopify/toxiproxy). */
import { asChild } from './binaries.ts';
import { goProgram } from './go.ts';
import { eventually, freePort, newFolder, ServerProcess } from './process.ts';

export const toxiproxyProgram = (): string | null =>
  goProgram('github.com/Shopify/toxiproxy/v2/cmd/server', 'v2.5.0');

const HEAL_MS = 60_000;

/** What is bad, as Toxiproxy's documentation lists it. */
export interface Toxic {
  type: 'latency' | 'bandwidth' | 'slow_close' | 'timeout' | 'reset_peer' | 'slicer' | 'limit_data';
  /** To the server, or back from it. */
  stream: 'upstream' | 'downstream';
  attributes: Record<string, number>;
  /** The share of connections that have it; 1 without it. */
  toxicity?: number;
}

export class Toxiproxy {
  private constructor(
    readonly process: ServerProcess,
    readonly url: string,
  ) {}

  static async start(program: string): Promise<Toxiproxy> {
    const port = await freePort();
    const command = asChild([program, '-host', '127.0.0.1', '-port', String(port)], null);
    const server = new ServerProcess(command, newFolder('toxiproxy'), 'SIGTERM');
    const toxiproxy = new Toxiproxy(server, `http://127.0.0.1:${port}`);
    server.start();
    await server.answers(() => toxiproxy.#ask('GET', '/version'));
    return toxiproxy;
  }

  /** A way to a port on this machine; its own port. */
  async wayTo(name: string, port: number): Promise<number> {
    const listen = await freePort();
    const body = { name, listen: `127.0.0.1:${listen}`, upstream: `127.0.0.1:${port}`, enabled: true };
    await this.#ask('POST', '/proxies', body);
    return listen;
  }

  async poison(name: string, toxic: Toxic): Promise<void> {
    await this.#ask('POST', `/proxies/${name}/toxics`, toxic);
  }

  /** Closes the way: connections end, and new ones are refused. */
  async close(name: string): Promise<void> {
    await this.#ask('POST', `/proxies/${name}`, { enabled: false });
  }

  /** Opens all ways and takes all toxics away. A toxic that is in the middle of a piece lets its removal wait. */
  async heal(): Promise<void> {
    await eventually(() => this.#ask('POST', '/reset'), HEAL_MS);
  }

  async #ask(method: string, path: string, body?: object): Promise<void> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Toxiproxy: ${method} ${path}: ${response.status} ${text}`);
  }
}
