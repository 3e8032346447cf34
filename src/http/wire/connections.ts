/**
 * Open connections of a process, and the bytes that they keep in memory: requests that were not read, bodies that nobody has taken, and
 * answers that were not sent. Anybody may open connections. Past a limit, the connections whose clients have been silent for longest are cut.
 */
import type { Connection } from './connection.ts';

export const MAX_CONNECTIONS = 4096;
export const MAX_KEPT_BYTES = 256 * 1024 * 1024;
/** Cutting several connections at once makes the search for them rare. */
const CUT_AT_ONCE = 64;

export class Connections extends Set<Connection> {
  #keptBytes = 0;

  constructor(
    readonly most = MAX_CONNECTIONS,
    readonly mostBytes = MAX_KEPT_BYTES,
  ) {
    super();
  }

  /** Makes room for one more connection. Returns false if all others are being answered. */
  admit(): boolean {
    if (this.size >= this.most) this.#cut(CUT_AT_ONCE, () => true);
    return this.size < this.most;
  }

  /** Notes by how many bytes the memory of a connection has grown; negative: it has shrunk. */
  keep(bytes: number): void {
    this.#keptBytes += bytes;
    while (this.#keptBytes > this.mostBytes && this.#cut(CUT_AT_ONCE, ({ keptBytes }) => keptBytes > 0));
  }

  /** Cuts up to `count` connections that wait for their clients. Returns how many it cut. */
  #cut(count: number, isChosen: (connection: Connection) => boolean): number {
    const silent = [...this].filter(each => each.silentSince !== null && isChosen(each));
    silent.sort((a, b) => a.silentSince! - b.silentSince!);
    for (const each of silent.slice(0, count)) {
      this.delete(each);
      each.cut();
    }
    return Math.min(silent.length, count);
  }
}
