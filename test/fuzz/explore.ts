/** Looks for faults of one target: makes inputs by its grammar, keeps those that reach something new or make more work, and changes these. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Choices, mutated, randomOf } from './choices.ts';
import { Coverage } from './coverage.ts';
import { Host, type Outcome } from './hosts.ts';
import { bytesIn, type Input, kept } from './input.ts';
import { described, faultOf, HANG_MS, Judge, kindOf } from './judge.ts';
import { TARGETS, type Target } from './targets.ts';

export interface Exploration {
  root: string;
  seconds: number;
  seed: number;
  /** Where inputs with faults are written. */
  folder: string;
  /** Ends at the first fault for which this is true. */
  isEnough?: (finding: Finding) => boolean;
  /** How long an input may be made smaller; 15 s by default. */
  minimiseMs?: number;
  log: (line: string) => void;
}

export interface Finding {
  target: string;
  fault: string;
  /** Functions that did most of the work, with their hits. */
  hottest: { name: string; hits: number }[];
  outcome: Outcome;
  /** Since the beginning. */
  seconds: number;
  input: Input;
  file: string;
}

export interface Explored {
  findings: Finding[];
  inputs: number;
  /** Counters that inputs reached, and inputs that are kept to be changed. */
  reached: number;
  corpus: number;
  /** The longest hold that is no fault, in ms. */
  longestMs: number;
  mostBytes: number;
}

/** Counters slow a program down: a hold is judged without them if it is so many times the failing line, or the last one that was no fault. */
const SLOWER = 1.5;
/** Less is noise. */
const MORE_BYTES = 1.05;
const MINIMISE_MS = 15_000;
/** Functions that tell one fault from another, and those that are shown. */
const TELLING = 2;
const SHOWN = 4;

export async function explore(name: string, settings: Exploration): Promise<Explored> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-fuzz-'));
  const coverage = await Coverage.create(join(folder, 'counters'));
  const explorer = new Explorer(name, settings, coverage, join(folder, 'counters'));
  try {
    return await explorer.run();
  } finally {
    await explorer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

class Explorer {
  readonly #target: Target;
  readonly #corpus: number[][] = [];
  /** Of each counter, the choices that made it work most; and of the process, the longest and the largest. */
  readonly #hardest = new Map<number | 'time' | 'memory', number[]>();
  #mostMs = 0;
  #mostBytes = 0;
  readonly #random: () => number;
  readonly #judge: Judge;
  readonly #explored: Explored = {
    findings: [],
    inputs: 0,
    reached: 0,
    corpus: 0,
    longestMs: 0,
    mostBytes: 0,
  };
  readonly #known = new Set<string>();
  /** What was judged and is no fault: the worst of each kind. */
  readonly #harmless = new Map<string, number>();
  readonly #since = performance.now();
  #host: Host | null = null;

  constructor(
    readonly name: string,
    readonly settings: Exploration,
    readonly coverage: Coverage,
    readonly counters: string,
  ) {
    this.#target = TARGETS[name]!;
    this.#random = randomOf(settings.seed);
    this.#judge = new Judge(this.#target, settings.root);
  }

  async run(): Promise<Explored> {
    const until = this.#since + this.settings.seconds * 1000;
    while (performance.now() < until) {
      const choices = new Choices(this.#parent(), this.#random);
      const input = this.#target.grammar(choices);
      const outcome = await this.#play(input);
      this.#explored.inputs++;
      const fault = faultOf(outcome, this.#target);
      this.#learn(choices.made, input, outcome, fault !== null);
      if (fault === null) this.#noteHarmless(outcome);
      else if (await this.#examine(choices.made, input, outcome, fault)) break;
      if (outcome.isGone) await this.#restart();
    }
    const { reached } = this.coverage;
    return { ...this.#explored, reached, corpus: this.#corpus.length };
  }

  async stop(): Promise<void> {
    await this.#restart();
    await this.#judge.stop();
  }

  /** Half are made from nothing; the others from what reached something new, from what made a counter work most, or from the longest and the largest. */
  #parent(): readonly number[] {
    const kind = this.#random() % 6;
    const worst = [this.#hardest.get('time'), this.#hardest.get('memory')].filter(each => each !== undefined);
    const from = [this.#corpus, [...this.#hardest.values()], worst][kind] ?? [];
    const [one, other] = [0, 1].map(() => from[this.#random() % from.length]);
    return one === undefined ? [] : mutated(one, other!, this.#random);
  }

  async #play(input: Input): Promise<Outcome> {
    this.#host ??= await Host.start({
      root: this.settings.root,
      reader: this.#target.reader,
      counters: this.counters,
      hangMs: HANG_MS,
    });
    this.coverage.clear();
    return this.#host.play(input);
  }

  #learn(choices: number[], input: Input, { ms, peakBytes }: Outcome, isFault: boolean): void {
    const { isNew, more } = this.coverage.look(bytesIn(input) * input.connections);
    if (isNew) this.#corpus.push(choices);
    // What is a fault already leads only to itself.
    if (isFault) return;
    for (const counter of more) this.#hardest.set(counter, choices);
    // What is no source of ours, such as the engine and decompression, is seen only here.
    if (ms > this.#mostMs) {
      this.#mostMs = ms;
      this.#hardest.set('time', choices);
    }
    if (peakBytes > MORE_BYTES * this.#mostBytes) {
      this.#mostBytes = peakBytes;
      this.#hardest.set('memory', choices);
    }
  }

  #noteHarmless({ ms, peakBytes }: Outcome): void {
    this.#explored.longestMs = Math.max(this.#explored.longestMs, ms);
    this.#explored.mostBytes = Math.max(this.#explored.mostBytes, peakBytes);
  }

  /** Whether it is enough. */
  async #examine(
    choices: number[],
    input: Input,
    { ms, peakBytes, problem }: Outcome,
    fault: string,
  ): Promise<boolean> {
    const hottest = this.coverage.hottest();
    const where = fault === problem ? [] : hottest.slice(0, TELLING).map(({ name }) => name);
    const kind = `${kindOf(fault)} ${where.toSorted().join()}`;
    const { failingMs } = this.#target;
    if (ms > failingMs && ms < SLOWER * failingMs) return false;
    const badness = ms > failingMs ? ms : peakBytes;
    if (this.#known.has(kind) || badness < SLOWER * (this.#harmless.get(kind) ?? 0)) return false;
    const seconds = (performance.now() - this.#since) / 1000;
    const outcome = await this.#judge.confirm(input);
    if (outcome === null) {
      this.#harmless.set(kind, badness);
      return false;
    }
    this.#known.add(kind);
    const confirmed = faultOf(outcome, this.#target)!;
    const finding = { target: this.name, fault: confirmed, hottest, outcome, seconds, input, file: '' };
    this.#explored.findings.push(finding);
    if (this.settings.isEnough?.(finding)) return true;
    const untilMs = performance.now() + (this.settings.minimiseMs ?? MINIMISE_MS);
    const smaller = await this.#judge.minimised(choices, confirmed, outcome.ms, this.#random, untilMs);
    finding.input = this.#target.grammar(new Choices(smaller, () => 0));
    finding.file = await this.#write(finding);
    this.settings.log(told(finding));
    return false;
  }

  async #write({ target, fault, input }: Finding): Promise<string> {
    const { folder, seed } = this.settings;
    mkdirSync(folder, { recursive: true });
    const file = join(folder, `${target}-${seed}-${this.#explored.findings.length}.json`);
    await Bun.write(file, `${JSON.stringify(kept(target, fault, input))}\n`);
    return file;
  }

  async #restart(): Promise<void> {
    await this.#host?.stop();
    this.#host = null;
  }
}

/** What a run prints of a fault. */
export const told = ({
  target,
  fault,
  hottest,
  outcome: { ms, peakBytes },
  seconds,
  input,
  file,
}: Finding): string =>
  [
    `fuzz ${target}: an input of ${described(input)} ${fault}`,
    `  ${ms.toFixed(0)} ms, ${Math.round(peakBytes / 1024 / 1024)} MiB, after ${seconds.toFixed(0)} s; ${file}`,
    ...hottest.slice(0, SHOWN).map(({ name, hits }) => `  ${name}: ${hits.toLocaleString('en')}`),
  ].join('\n');
