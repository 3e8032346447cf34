/**
 * A connection to Redis or to a Redis Cluster, and the scripts that run there.
 *
 * Commands fail at once without a connection or while the `Breaker` is open, and in any case after `questionMs`. A failed
 * command may still have run, or may run later, so every script is idempotent.
 */
import { Cluster, Redis, ReplyError } from 'ioredis';
import { Breaker } from '../breaker.ts';
import { type Timeouts, timeoutsOf } from '../timeouts.ts';
import { notNow } from '../unavailable.ts';

const RECONNECT_MS = 250;
/** How long the start waits for the first connection. */
const START_MS = 5000;
const KEY_SPACE = 'sluice';
const READY = `${KEY_SPACE}:ready`;

export type Value = string | number | Buffer | Uint8Array;

type Client = Redis | Cluster;
type Command = (...values: (string | number | Buffer)[]) => Promise<unknown>;

/** Errors of a server that cannot serve now, but may later. */
const UNAVAILABLE =
  /^(OOM|READONLY|LOADING|BUSY|MISCONF|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|NOAUTH|WRONGPASS|NOPERM|UNBLOCKED|MOVED|ASK|ERR max number of clients|NOGOODSLAVE|FAILOVER)/;

export class RedisConnection {
  readonly #client: Client;
  readonly #breaker: Breaker;
  readonly #listeners: Client[] = [];
  /** By their text. */
  readonly #scripts = new Map<string, Command>();

  private constructor(
    client: Client,
    readonly timeouts: Timeouts,
  ) {
    this.#client = client;
    const probe = { connect: () => connected(client), ask: () => client.get(READY) };
    this.#breaker = new Breaker(probe, timeouts);
    // Every command reports a missing connection itself.
    client.on('error', () => {});
  }

  /** `url`: one address (`redis://` or `rediss://`), or addresses of a Cluster's nodes separated by commas. Throws if no server answers. */
  static async open(url: string, timeouts = timeoutsOf()): Promise<RedisConnection> {
    const addresses = url.split(',').map(address => address.trim());
    const client = clientOf(addresses, timeouts);
    const connection = new RedisConnection(client, timeouts);
    try {
      await ready(client, timeouts);
    } catch (error) {
      client.disconnect();
      throw error;
    }
    return connection;
  }

  /** Runs a Lua script atomically. All keys of a call are in one slot. Returns Buffers, integers, arrays and null. */
  run(lua: string, keys: readonly string[], values: readonly Value[] = []): Promise<unknown> {
    const script = this.#scripts.get(lua) ?? this.#define(lua);
    return this.#answered(() => script(keys.length, ...keys, ...values.map(bytesOf)));
  }

  /** Runs one command, and returns what `run` does. */
  command(name: string, ...values: (string | number)[]): Promise<unknown> {
    return this.#answered(() => this.#client.callBuffer(name, values));
  }

  /** Sends a message to all subscribed replicas, without waiting for them. */
  async publish(channel: string, message: string): Promise<void> {
    await this.#answered(() => this.#client.publish(`${KEY_SPACE}:${channel}`, message));
  }

  /** Receives messages of all replicas, including our own, until the connection is closed. Messages sent while disconnected are lost. */
  async subscribe(channel: string, hear: (message: string) => void): Promise<void> {
    // Both classes overload `duplicate`, so TypeScript needs one call for each.
    const listener: Client =
      this.#client instanceof Cluster ? this.#client.duplicate() : this.#client.duplicate();
    this.#listeners.push(listener);
    listener.on('error', () => {});
    listener.on('message', (_: string, message: string) => hear(message));
    await ready(listener, this.timeouts);
    await listener.subscribe(`${KEY_SPACE}:${channel}`);
  }

  /** Throws SERVICE_UNAVAILABLE if the server does not answer or accepts no writes. */
  async ping(): Promise<void> {
    await this.#answered(() => this.#client.set(READY, '1', 'PX', 1000));
  }

  /** Uptime of the server in seconds; in a Cluster that of the youngest master. Throws SERVICE_UNAVAILABLE. */
  uptimeSeconds(): Promise<number> {
    const masters = this.#client instanceof Cluster ? this.#client.nodes('master') : [this.#client];
    return this.#answered(async () => {
      const infos = await Promise.all(masters.map(master => master.info('server')));
      return Math.min(...infos.map(info => Number(/^uptime_in_seconds:(\d+)/m.exec(info)?.[1] ?? 0)));
    });
  }

  close(): void {
    this.#breaker.close();
    for (const each of [this.#client, ...this.#listeners]) each.disconnect();
  }

  #define(lua: string): Command {
    const name = `script${this.#scripts.size}`;
    this.#client.defineCommand(name, { lua });
    const script = (this.#client as unknown as Record<string, Command>)[`${name}Buffer`]!.bind(this.#client);
    this.#scripts.set(lua, script);
    return script;
  }

  async #answered<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await this.#breaker.ask(ask);
    } catch (error) {
      // An error in a script is a bug; other errors are about the server or the connection.
      if (error instanceof ReplyError && !UNAVAILABLE.test(innermost(error as Error))) throw error;
      throw Object.assign(notNow(), { cause: error });
    }
  }
}

/**
 * Resolves when the client is connected. The promise of `connect` covers only the first attempt, which a Cluster may
 * give up and repeat.
 */
async function ready(client: Client, { connectMs }: Timeouts): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let last: unknown = new Error('no answer');
  const note = (error: unknown) => {
    last = error;
  };
  const timer = setTimeout(() => reject(last), START_MS + connectMs);
  client.once('ready', resolve);
  client.on('error', note);
  client.connect().catch(note);
  await promise.finally(() => {
    clearTimeout(timer);
    client.off('ready', resolve).off('error', note);
  });
}

/** Only checks: the client reconnects by itself. */
async function connected({ status }: Client): Promise<void> {
  if (status !== 'ready') throw new Error(`the connection is not ready: ${status}`);
}

/** The error inside a script, without the prefix that Redis adds. */
const innermost = (error: Error): string =>
  error.message.replace(/^ERR Error running script.*?: (?=[A-Z]+ )/, '');

/** The tag in braces puts all keys of one account, or of one account and source, into one slot. */
export const keyOf = (kind: string, tag: string, part = ''): string =>
  `${KEY_SPACE}:${kind}:{${tag}}${part && `:${part}`}`;

function clientOf(addresses: string[], { questionMs, connectMs }: Timeouts): Client {
  const options = {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    autoResendUnfulfilledCommands: false,
    commandTimeout: questionMs,
    connectTimeout: questionMs,
    // Close a connection without answers: the server may have moved.
    socketTimeout: questionMs,
    retryStrategy: () => RECONNECT_MS,
  };
  const [address] = addresses;
  if (addresses.length === 1) return new Redis(address!, options);
  return new Cluster(addresses, {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: () => RECONNECT_MS,
    // Look for a missing node or its replacement for half a second.
    maxRedirections: 5,
    retryDelayOnFailover: 100,
    retryDelayOnClusterDown: 100,
    slotsRefreshTimeout: connectMs,
    redisOptions: { ...options, lazyConnect: false },
  });
}

const bytesOf = (value: Value): string | number | Buffer =>
  value instanceof Uint8Array && !Buffer.isBuffer(value)
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : (value as string | number | Buffer);
