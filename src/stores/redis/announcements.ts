/** What one replica tells the others, by Redis' channels. Who is away at the moment misses it. */
import type { Announcements } from '../ports.ts';
import type { RedisConnection } from './connection.ts';

const CHANNEL = 'announcements';

export class RedisAnnouncements implements Announcements {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  tell(message: string): Promise<void> {
    return this.#connection.publish(CHANNEL, message);
  }

  hear(call: (message: string) => void): Promise<void> {
    return this.#connection.subscribe(CHANNEL, call);
  }

  /** What is told is pushed here. */
  catchUp(): void {}
}
