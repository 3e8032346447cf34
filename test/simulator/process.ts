/** A simulated process of the program over wired stores. It can be killed at any moment, and then starts again with empty memory. */
import type { Engine } from '../../src/engine/engine.ts';
import type { FeedbackDependencies } from '../../src/sources/feedback.ts';
import type { ScreenDependencies } from '../../src/screen/screen.ts';
import { Baselines } from '../../src/sources/baselines.ts';
import { BaselineEditor } from '../../src/sources/editor.ts';
import { Tasks } from '../../src/threads/tasks.ts';
import { InlineThread } from '../../src/threads/thread.ts';
import { Threads } from '../../src/threads/threads.ts';
import { giveBack, takeEngine } from './engines.ts';
import type { Stores } from './stores.ts';
import type { Caller } from './wire.ts';
import { Life, type World } from './world.ts';

export const MAX_BODY_BYTES = 32 * 1024;

export type Dependencies = ScreenDependencies & FeedbackDependencies & { baselines: Baselines };

/** Connects a process that starts to its stores. */
export type Connect = (caller: Caller) => Stores;

export abstract class Process implements Caller {
  life: Life;
  kills = 0;
  #engine: Engine | null = null;

  constructor(
    readonly world: World,
    readonly name: string,
    readonly connect: Connect,
  ) {
    this.life = this.#newLife();
  }

  kill(why: string): void {
    if (!this.life.isAlive) return;
    const { world } = this;
    world.note(this.name, `killed: ${why}`);
    this.life.isAlive = false;
    this.kills++;
    if (this.#engine) giveBack(this.#engine);
    this.#engine = null;
    this.ended();
    world.after(world.random.pick([50, 300, 4000]), null, () => {
      this.life = this.#newLife();
      world.note(this.name, 'starts again');
      this.begin();
    });
  }

  /** Begins what a process does at its start. */
  protected abstract begin(): void;
  /** Others see that the process has ended. */
  protected abstract ended(): void;

  /** What the program is given. `random`: see `ScreenDependencies`. */
  protected dependencies(random: ScreenDependencies['random']): Dependencies {
    const { world } = this;
    const stores = this.connect(this);
    const engine = takeEngine();
    this.#engine = engine;
    const threads = new Threads(() => new InlineThread(new Tasks(() => engine, SETTINGS)), 1);
    const baselines = new Baselines(stores.baselines, threads, console);
    return {
      ...stores,
      ...LIMITS,
      threads,
      baselines,
      editor: new BaselineEditor(stores.baselines, baselines),
      defaultMode: 'contract',
      now: () => world.clock(),
      sleep: ms => world.sleep(ms),
      random,
    };
  }

  #newLife(): Life {
    const { random } = this.world;
    return new Life(this.name, random.chance(0.3) ? random.int(-2000, 2000) : 0);
  }
}

const LIMITS = {
  maxSources: null,
  maxBaselineBytes: null,
  // Deleting old jobs is no part of the path.
  maxReportBytes: Number.MAX_SAFE_INTEGER,
  maxBodyBytes: MAX_BODY_BYTES,
};

const SETTINGS = { sampleRows: 1000, defaultMode: 'contract', storeValues: true } as const;
