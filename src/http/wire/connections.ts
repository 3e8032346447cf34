/**
 * Open connections of a process, and the bytes that they keep in memory: requests that were not read, bodies that nobody has taken, and
 * answers that were not sent. Anybody may open connections. Past a limit those are cut whose clients have been silent for longest.
 */
import type { Connection } from './connection.ts';

export const MAX_CONNECTIONS = 4096;
export const MAX_KEPT_BYTES = 256 * 1024 * 1024;
/** Cutting more than one makes the search rare. */
const CUT_AT_ONCE = 64;

export class Connections extends Set<Connection> {
  #keptBytes = 0;

  constructor(
    readonly most = MAX_CONNECTIONS,
    readonly mostBytes = MAX_KEPT_BYTES,
  ) {
    super();
  }

  /** False if there is no room for one more: all others are being answered. */
  admit(): boolean {
    if (this.size >= this.most) this.#cut(CUT_AT_ONCE, () => true);
    return this.size < this.most;
  }

  /** Notes that a connection keeps so many bytes more, or fewer. */
  keep(bytes: number): void {
    this.#keptBytes += bytes;
    while (this.#keptBytes > this.mostBytes && this.#cut(CUT_AT_ONCE, ({ keptBytes }) => keptBytes > 0));
  }

  /** Cuts up to `count` of those that wait for their clients. Returns how many. */
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
