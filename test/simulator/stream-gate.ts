/** A process of `sluice stream`, on a simulated broker. */
import type { Logger } from 'pino';
import type { StreamConfig } from '../../src/stream/config.ts';
import { Gate } from '../../src/stream/gate.ts';
import type { Waits } from '../../src/stream/in-time.ts';
import { Judge } from '../../src/stream/judge.ts';
import { StreamMeter } from '../../src/stream/meter.ts';
import type { Broker } from './broker.ts';
import { ACCOUNT } from './files.ts';
import { type Connect, Process } from './process.ts';
import type { Faults } from './wire.ts';
import { Wire } from './wire.ts';
import type { World } from './world.ts';

const WAITS: Waits = { open: 3000, commit: 3000, judge: 30_000, topic: 3000, quiet: 1000 };
const METER = new StreamMeter();

/** What a process is given. */
export interface StreamSetting {
  config: StreamConfig;
  broker: Broker;
  faults: Faults;
  /** Calls a function with what a process logs as an error, or as a warning that does not say that all is well. */
  said(message: string): void;
  /** Calls a function with a bug. */
  failed(error: unknown): void;
  /** A number that no process was given. */
  number(): number;
}

export class StreamGate extends Process {
  readonly #setting: StreamSetting;

  constructor(world: World, name: string, connect: Connect, setting: StreamSetting) {
    super(world, name, connect);
    this.#setting = setting;
    this.begin();
  }

  protected begin(): void {
    const { world, life } = this;
    const { config, broker, faults, number } = this.#setting;
    const random = (length: number) => {
      const bytes = new Uint8Array(length);
      new DataView(bytes.buffer).setUint32(length - 4, number());
      return bytes;
    };
    const start = () => {
      const deps = this.dependencies(random);
      const judge = new Judge(config, { ...deps, account: async () => ACCOUNT });
      const kafka = broker.connected(life, new Wire(world, this, 'server', faults));
      const gate = new Gate({
        config,
        kafka,
        judge,
        meter: METER,
        log: this.#log(),
        now: () => world.now,
        waits: WAITS,
      });
      gate.failed.catch(this.#setting.failed);
      gate.start().catch(this.#setting.failed);
    };
    world.after(0, life, start);
  }

  protected ended(): void {
    this.#setting.broker.gone(this.life);
  }

  #log(): Logger {
    const say = (facts: object, message: string) => {
      this.world.note(this.name, `logs: ${message} ${JSON.stringify(facts)}`);
      if (!/tried again/.test(message)) this.#setting.said(message);
    };
    return { info: () => {}, warn: say, error: say } as unknown as Logger;
  }
}
