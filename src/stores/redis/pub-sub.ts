/** Messages between replicas over Redis' channels. A disconnected replica misses them. */
import type { PubSub } from '../ports.ts';
import type { RedisConnection } from './connection.ts';

const CHANNEL = 'announcements';

export class RedisPubSub implements PubSub {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  publish(message: string): Promise<void> {
    return this.#connection.publish(CHANNEL, message);
  }

  subscribe(receive: (message: string) => void): Promise<void> {
    return this.#connection.subscribe(CHANNEL, receive);
  }

  /** Redis pushes messages: nothing to do. */
  poll(): void {}
}
