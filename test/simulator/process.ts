/** A simulated process of the program over wired stores. It can be killed at any moment, and then starts again with empty memory. */
import { BaselineCache } from '../../src/baseline/baseline-cache.ts';
import { BaselineEditor } from '../../src/baseline/editor.ts';
import type { FeedbackDependencies } from '../../src/feedback.ts';
import { PatternCache } from '../../src/rules/declared/patterns.ts';
import { HISTORY_FITTER, type History } from '../../src/rules/learned/history.ts';
import type { ScreenDependencies } from '../../src/screen.ts';
import { ParsedRules } from '../../src/source-rules.ts';
import { GateEngines } from './engines.ts';
import type { Stores } from './stores.ts';
import type { Caller } from './wire.ts';
import { Life, type World } from './world.ts';

export const MAX_BODY_BYTES = 32 * 1024;

export type Dependencies = ScreenDependencies & FeedbackDependencies & { baselines: BaselineCache<History> };

/** Connects a process that starts to its stores. */
export type Connect = (caller: Caller) => Stores;

export abstract class Process implements Caller {
  life: Life;
  kills = 0;
  #engines = new GateEngines();

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
    this.#engines.takeBack();
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
    const { world, life } = this;
    const stores = this.connect(this);
    this.#engines = new GateEngines();
    const baselines = new BaselineCache(stores.baselines, {
      later: work => world.after(0, life, () => void work()),
      fitter: HISTORY_FITTER,
    });
    return {
      ...stores,
      ...LIMITS,
      engines: this.#engines,
      baselines,
      editor: new BaselineEditor(stores.baselines, baselines),
      defaultMode: 'contract',
      patterns: new PatternCache(),
      parsedRules: new ParsedRules(),
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
  sampleRows: 1000,
  storeValues: true,
};
