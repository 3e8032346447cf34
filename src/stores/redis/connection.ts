/**
 * One connection to Redis, or to a Cluster, and the scripts that run there.
 *
 * Nothing waits for a server that is away: commands fail at once while there is no connection or while `Breaker` finds that
 * it does not answer, and after `questionMs` in any case. Such a command may have run, or may run later, so every script can
 * be run again.
 */
import { Cluster, Redis, ReplyError } from 'ioredis';
import { Breaker } from '../breaker.ts';
import { type Timeouts, timeoutsOf } from '../timeouts.ts';
import { notNow } from '../unavailable.ts';

const RECONNECT_MS = 250;
/** How long a start waits for the first connection. */
const START_MS = 5000;
const KEY_SPACE = 'sluice';
const READY = `${KEY_SPACE}:ready`;

export type Value = string | number | Buffer | Uint8Array;

/** Lua that runs in one step; every key of a call lies in one slot. */
export interface Script {
  name: string;
  keys: number;
  lua: string;
}

type Client = Redis | Cluster;
type Command = (...values: (string | number | Buffer)[]) => Promise<unknown>;

/** What a server says when it is not fit to serve: it may be by and by. */
const UNAVAILABLE =
  /^(OOM|READONLY|LOADING|BUSY|MISCONF|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|NOAUTH|WRONGPASS|NOPERM|UNBLOCKED|MOVED|ASK|ERR max number of clients|NOGOODSLAVE|FAILOVER)/;

export class RedisConnection {
  readonly #client: Client;
  readonly #breaker: Breaker;
  readonly #listeners: Client[] = [];

  private constructor(
    client: Client,
    readonly timeouts: Timeouts,
  ) {
    this.#client = client;
    const probe = { connect: () => connected(client), ask: () => client.get(READY) };
    this.#breaker = new Breaker(probe, timeouts);
    // Each command says for itself that there is no connection.
    client.on('error', () => {});
  }

  /** `url`: one address (`redis://` or `rediss://`), or those of a Cluster's nodes with commas between them. Throws when none answers. */
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

  /** The script as a function of keys and values. It answers with Buffers, integers, arrays and null. */
  script({
    name,
    keys,
    lua,
  }: Script): (keys: readonly string[], values: readonly Value[]) => Promise<unknown> {
    this.#client.defineCommand(name, { numberOfKeys: keys, lua });
    const command = (this.#client as unknown as Record<string, Command>)[`${name}Buffer`]!.bind(this.#client);
    return (names, values) => this.#answered(() => command(...names, ...values.map(bytesOf)));
  }

  /** Tells all replicas. Nobody waits for those that do not listen. */
  async publish(channel: string, message: string): Promise<void> {
    await this.#answered(() => this.#client.publish(`${KEY_SPACE}:${channel}`, message));
  }

  /** Hears what other replicas tell, and ourselves, until the connection is closed; what is told while it is away is missed. */
  async subscribe(channel: string, hear: (message: string) => void): Promise<void> {
    // Each has overloads of its own, which a call on either of them does not find.
    const listener: Client =
      this.#client instanceof Cluster ? this.#client.duplicate() : this.#client.duplicate();
    this.#listeners.push(listener);
    listener.on('error', () => {});
    listener.on('message', (_: string, message: string) => hear(message));
    await ready(listener, this.timeouts);
    await listener.subscribe(`${KEY_SPACE}:${channel}`);
  }

  /** Throws SERVICE_UNAVAILABLE when the server does not answer, or takes no writes. */
  async ping(): Promise<void> {
    await this.#answered(() => this.#client.set(READY, '1', 'PX', 1000));
  }

  /** For how many seconds the server has been up, the youngest of a Cluster's masters. Throws SERVICE_UNAVAILABLE. */
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

  async #answered<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await this.#breaker.ask(ask);
    } catch (error) {
      // A script's own error is our mistake; all else is about the server or the way there.
      if (error instanceof ReplyError && !UNAVAILABLE.test(innermost(error as Error))) throw error;
      throw Object.assign(notNow(), { cause: error });
    }
  }
}

/**
 * Resolves with the first connection that stands. The promise of `connect` is about the first attempt alone, which a
 * Cluster may give up and make anew.
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

/** The client connects by itself, again and again. */
async function connected({ status }: Client): Promise<void> {
  if (status !== 'ready') throw new Error(`the connection is not ready: ${status}`);
}

/** An error that a script met stands behind what Redis says of the script. */
const innermost = (error: Error): string =>
  error.message.replace(/^ERR Error running script.*?: (?=[A-Z]+ )/, '');

/** All keys of one account and source, or of one account: the tag in braces puts them into one slot. */
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
    // A connection on which nothing comes back is given up: its server may be at the end of another one.
    socketTimeout: questionMs,
    retryStrategy: () => RECONNECT_MS,
  };
  const [address] = addresses;
  if (addresses.length === 1) return new Redis(address!, options);
  return new Cluster(addresses, {
    lazyConnect: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: () => RECONNECT_MS,
    // A node that is gone is asked for, or another in its place, for half a second.
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
