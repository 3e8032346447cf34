/** Private Redis servers on free ports: a single one, and a Cluster of three. */
import { Redis } from 'ioredis';
import { SETTLED_SECONDS } from '../../src/stores/redis/allowance.ts';
import { asChild, redisBinary } from './binaries.ts';
import { eventually, freePort, newFolder, ServerProcess } from './process.ts';

const SLOTS = 16_384;

export class RedisServer {
  private constructor(
    readonly process: ServerProcess,
    readonly port: number,
  ) {}

  static async start(settings: readonly string[] = []): Promise<RedisServer> {
    const folder = newFolder('redis');
    const port = await freePort();
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
    const command = [redisBinary()!, ...own, ...settings];
    const server = new RedisServer(new ServerProcess(asChild(command, null), folder, 'SIGTERM'), port);
    server.process.start();
    await server.ready();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async ready(): Promise<void> {
    await this.process.answers(async () => {
      if ((await this.command('PING')) !== 'PONG') throw new Error('not yet');
    });
  }

  /** Waits until it has run long enough to grant rows. */
  async settled(): Promise<void> {
    await eventually(async () => {
      if (Number(await this.info('uptime_in_seconds')) < SETTLED_SECONDS) throw new Error('not yet');
    });
  }

  /** An entry of INFO. */
  async info(entry: string): Promise<string> {
    const info = String(await this.command('INFO', 'server'));
    return new RegExp(`^${entry}:(.*?)\r?$`, 'm').exec(info)![1]!;
  }

  async command(name: string, ...values: (string | number)[]): Promise<unknown> {
    const client = new Redis(this.url, { retryStrategy: () => null, lazyConnect: true });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.call(name, ...values);
    } finally {
      client.disconnect();
    }
  }

  async restart(): Promise<void> {
    this.process.start();
    await this.ready();
  }
}

export class RedisCluster {
  private constructor(readonly nodes: RedisServer[]) {}

  static async start(): Promise<RedisCluster> {
    const nodes = await Promise.all([1, 2, 3].map(() => clusterNode()));
    const share = Math.ceil(SLOTS / nodes.length);
    for (const [i, node] of nodes.entries()) {
      const last = Math.min(SLOTS, (i + 1) * share) - 1;
      await node.command('CLUSTER', 'ADDSLOTSRANGE', i * share, last);
      await node.command('CLUSTER', 'SET-CONFIG-EPOCH', i + 1);
    }
    for (const node of nodes.slice(1)) {
      await node.command('CLUSTER', 'MEET', '127.0.0.1', nodes[0]!.port, await busPort(nodes[0]!));
    }
    for (const node of nodes) await eventually(() => joined(node));
    return new RedisCluster(nodes);
  }

  /** The addresses of all nodes, as `REDIS_URL` takes them. */
  get url(): string {
    return this.nodes.map(node => node.url).join(',');
  }

  async remove(): Promise<void> {
    await Promise.all(this.nodes.map(node => node.process.remove()));
  }
}

/** Nodes use another port among themselves. The default, 10,000 higher, may be too high. */
async function clusterNode(): Promise<RedisServer> {
  const bus = await freePort();
  return RedisServer.start(['--cluster-enabled', 'yes', '--cluster-port', String(bus)]);
}

async function busPort(node: RedisServer): Promise<number> {
  const [, port] = (await node.command('CONFIG', 'GET', 'cluster-port')) as [string, string];
  return Number(port);
}

async function joined(node: RedisServer): Promise<void> {
  const info = String(await node.command('CLUSTER', 'INFO'));
  if (!info.includes('cluster_state:ok') || !info.includes('cluster_known_nodes:3'))
    throw new Error('the cluster is not whole yet');
}
