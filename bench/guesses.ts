/**
 * How much slower is a regular client while others guess a thousand codes or keys a second?
 *
 * Over loopback, against the real program. The regular client posts batches of ten rows one after the other, with pauses. Three
 * cases take turns, so that a slow moment of the machine affects all of them: no guesses, guessed codes, guessed keys.
 */
import { join } from 'node:path';
import { Child, postHead } from './child.ts';
import type { Connection } from './connection.ts';
import type { Guessed } from './guessers.ts';
import { linesOf } from './output.ts';
import { named, type Payload, payloadsOf } from './payloads.ts';
import { ratioOf, rounded, type Timing, timingOf } from './race.ts';
import { Random } from './random.ts';
import { narrowTable } from './tables.ts';

export interface GuessesEffort {
  guessesPerSecond: number;
  /** Rounds of the three cases. */
  rounds: number;
  phaseMs: number;
  warmRuns: number;
}

export const GUESSES_EFFORT: GuessesEffort = {
  guessesPerSecond: 1000,
  rounds: 5,
  phaseMs: 3000,
  warmRuns: 500,
};

export interface GuessesResult {
  /** The regular client's median while others guess / without guesses. */
  ratios: { codes: number; keys: number };
  batches: { nobody: Timing; codes: Timing; keys: Timing };
  guesses: Record<Kind, { per_s: number; statuses: Record<string, number> }>;
}

type Kind = 'codes' | 'keys';

const ROWS = 10;
const MAX_PAUSE_MS = 5;
const GUESSERS = join(import.meta.dir, 'guessers.ts');
/** Statuses that a guess may get. */
const REFUSALS = new Set(['401', '429']);

export async function benchGuesses(seed: number, effort = GUESSES_EFFORT): Promise<GuessesResult> {
  await using sluice = await Child.sluice({ TRUSTED_PROXIES: '127.0.0.1' });
  const client = new GoodClient(await sluice.connect(), seed);
  const times: Record<'nobody' | Kind, number[]> = { nobody: [], codes: [], keys: [] };
  const guessed: Record<Kind, Guessed[]> = { codes: [], keys: [] };
  for (let run = 0; run < effort.warmRuns; run++) await client.post();
  for (let round = 0; round < effort.rounds; round++) {
    const begun = performance.now();
    times.nobody.push(...(await client.timesWhile(() => performance.now() - begun < effort.phaseMs)));
    for (const kind of ['codes', 'keys'] as const) {
      const guesses = await Guesses.begin(sluice.port, kind, effort);
      times[kind].push(...(await client.timesWhile(() => guesses.goOn)));
      guessed[kind].push(await guesses.result);
    }
  }
  const batches = {
    nobody: timingOf(times.nobody),
    codes: timingOf(times.codes),
    keys: timingOf(times.keys),
  };
  return {
    ratios: { codes: ratioOf(batches.codes, batches.nobody), keys: ratioOf(batches.keys, batches.nobody) },
    batches,
    guesses: { codes: sumOf(guessed.codes), keys: sumOf(guessed.keys) },
  };
}

class GoodClient {
  readonly #payloads: Payload[];
  readonly #random: Random;
  #turn = 0;

  constructor(
    readonly connection: Connection,
    seed: number,
  ) {
    this.#payloads = payloadsOf(seed, { payloads: 3, rows: ROWS }, narrowTable, named('bench-guesses'));
    this.#random = new Random(seed);
  }

  async post(): Promise<void> {
    const { bytes } = this.#payloads[this.#turn++ % this.#payloads.length]!;
    await this.connection.ok(postHead(bytes.length), bytes);
  }

  async timesWhile(goesOn: () => boolean): Promise<number[]> {
    const times: number[] = [];
    do {
      const begun = performance.now();
      await this.post();
      times.push(performance.now() - begun);
      await Bun.sleep(this.#random.unit() * MAX_PAUSE_MS);
    } while (goesOn());
    return times;
  }
}

class Guesses {
  goOn = true;

  private constructor(readonly result: Promise<Guessed>) {
    this.result = result.finally(() => {
      this.goOn = false;
    });
  }

  /** Resolves when the first guesses are answered. */
  static async begin(
    port: number,
    kind: Kind,
    { guessesPerSecond, phaseMs }: GuessesEffort,
  ): Promise<Guesses> {
    const child = Bun.spawn(
      [process.execPath, GUESSERS, ...[port, kind, guessesPerSecond, phaseMs].map(String)],
      {
        stdout: 'pipe',
        stderr: 'inherit',
      },
    );
    const lines = linesOf(child.stdout);
    await lines.next();
    return new Guesses(lines.next().then(({ value }) => guessedIn(value)));
  }
}

function guessedIn(line: string | undefined): Guessed {
  if (line === undefined) throw new Error('the guessers have ended without a result');
  const guessed = JSON.parse(line) as Guessed;
  const wrong = Object.keys(guessed.statuses).filter(status => !REFUSALS.has(status));
  if (wrong.length > 0) throw new Error(`a guess was answered with ${wrong.join(', ')}`);
  return guessed;
}

function sumOf(guessed: readonly Guessed[]): { per_s: number; statuses: Record<string, number> } {
  const statuses: Record<string, number> = {};
  for (const each of guessed)
    for (const [status, count] of Object.entries(each.statuses))
      statuses[status] = (statuses[status] ?? 0) + count;
  const seconds = guessed.reduce((sum, { ms }) => sum + ms / 1000, 0);
  const count = Object.values(statuses).reduce((sum, each) => sum + each, 0);
  return { per_s: rounded(count / seconds), statuses };
}
