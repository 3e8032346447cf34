/** A gate that clients send requests to. */
import { Format } from '../../assembly/abi.ts';
import type { JobReference } from '../../src/sources/feedback.ts';
import { Upload } from '../../src/intake/upload.ts';
import { parseOptions } from '../../src/options/options.ts';
import { type Screened, screen } from '../../src/screen/screen.ts';
import { StageClock } from '../../src/screen/stages.ts';
import { UNBOUNDED } from '../../src/stores/ports.ts';
import { ACCOUNT } from './files.ts';
import { type Connect, type Dependencies, MAX_BODY_BYTES, Process } from './process.ts';
import type { World } from './world.ts';

const OPTIONS = parseOptions(undefined);

/** A batch as a client sends it. */
export interface Sent {
  source: string;
  body: Uint8Array<ArrayBuffer>;
  /** Null: without an Idempotency-Key. */
  key: string | null;
  /** Of this request, and no other. */
  random(bytes: number): Uint8Array;
}

/** What a client hears of a request. `broken`: the connection ended without an answer. */
export type Heard<T> = { answer: T } | { error: unknown } | 'broken';

export class Gate extends Process {
  deps!: Dependencies;
  /** Each ends the connection of a client. */
  readonly #connections = new Set<() => void>();

  constructor(world: World, name: string, connect: Connect) {
    super(world, name, connect);
    this.begin();
  }

  /** Sends a request to the gate as it is when the request arrives. */
  ask<T>(work: (gate: Gate) => Promise<T>): Promise<Heard<T>> {
    const { world } = this;
    return new Promise(resolve => {
      const hear = (heard: Heard<T>) => world.after(world.random.next() * 2, null, () => resolve(heard));
      const end = () => hear('broken');
      const arrive = () => {
        const { life } = this;
        if (!life.isAlive) return end();
        this.#connections.add(end);
        const answer = (heard: Heard<T>) => {
          if (this.#connections.delete(end)) hear(heard);
        };
        const run = () =>
          work(this).then(
            value => answer({ answer: value }),
            (error: unknown) => answer({ error }),
          );
        world.after(0, life, () => void run());
      };
      world.after(world.random.next() * 3, null, arrive);
    });
  }

  screen({ source, body, key, random }: Sent): Promise<Screened> {
    const upload = new Upload(new Blob([body]).stream(), UPLOAD);
    const digest = Buffer.from(body).toString('hex');
    const keyed = key === null ? null : { key, hash: { update: () => {}, digest: () => digest } };
    const batch = {
      account: ACCOUNT,
      isPerson: false,
      contentType: NDJSON,
      upload,
      keyed,
      clock: new StageClock(),
    };
    return screen({ ...batch, named: { source, options: OPTIONS } }, { ...this.deps, random });
  }

  referenceTo(source: string, job: string): JobReference {
    const at = this.world.clock();
    return { account: ACCOUNT.id, bounds: UNBOUNDED, source, job, by: null, who: 'ann', at };
  }

  protected begin(): void {
    this.deps = this.dependencies(() => {
      throw new Error('each request has random bytes of its own');
    });
  }

  protected ended(): void {
    for (const end of this.#connections) end();
    this.#connections.clear();
  }
}

const UPLOAD = { bodyStallSeconds: 3600, bodySeconds: 3600, maxBodyBytes: MAX_BODY_BYTES };
const NDJSON = {
  format: Format.NDJSON,
  delimiter: 0x2c,
  isDelimiterGiven: true,
  charset: null,
  coding: null,
};
