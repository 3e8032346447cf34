/** People who give feedback on batches, go back to versions and reset sources, and what they heard. */
import { decodeRecord } from '../../src/baseline/encode-record.ts';
import { acceptBatch, type FeedbackResult, recordFeedback } from '../../src/sources/feedback.ts';
import { Rejection } from '../../src/terms/errors.ts';
import { UNBOUNDED } from '../../src/stores/ports.ts';
import type { Batch, Clients } from './batches.ts';
import { grouped } from './checks.ts';
import { ACCOUNT } from './files.ts';
import type { Gate, Heard } from './gate.ts';
import { type Held, type Learned, learnedBy, mergedIn } from './held.ts';
import {
  accept,
  admit,
  dismiss,
  isLinearizable,
  learn,
  type Operation,
  replace,
  see,
  type State,
  unlearn,
} from './history.ts';
import { now, type Simulator } from './simulator.ts';
import type { World } from './world.ts';

const { id: account } = ACCOUNT;
const KINDS = ['accept', 'accept', 'bad', 'expected', 'roll back', 'reset', 'look', 'look'] as const;
type Kind = (typeof KINDS)[number];

/** What somebody asks, and what the answer says of the baseline. */
interface Asked<T> {
  name: string;
  ask(gate: Gate): Promise<T>;
  /** Null: the answer says nothing. `undefined` stands for an answer that nobody heard. */
  applied(answer: T | undefined): Operation['apply'] | null;
}

export class People {
  /** By source. */
  readonly operations = new Map<string, Operation[]>();
  readonly bugs: string[] = [];
  #running = 0;

  constructor(
    readonly world: World,
    readonly clients: Clients,
    readonly simulator: Simulator,
  ) {}

  get areDone(): boolean {
    return this.#running === 0;
  }

  /** One person does so many things, one after another. */
  add(count: number): void {
    this.#running++;
    const { random } = this.world;
    const actAll = async () => {
      for (let done = 0, tries = 0; done < count && tries < 6 * count; tries++) {
        await this.world.sleep(random.next() * random.pick([10, 30, 1000]));
        const source = random.pick(this.clients.sources);
        const asked = this.#next(random.pick(KINDS), source);
        if (asked === null) continue;
        await this.#act(source, asked);
        done++;
      }
      this.#running--;
    };
    this.world.after(0, null, () => void actAll());
  }

  // biome-ignore lint/suspicious/noExplicitAny: each question has its own answer
  #next(kind: Kind, source: string): Asked<any> | null {
    const { random } = this.world;
    if (kind === 'look') return this.#look(source);
    if (kind === 'reset') return random.chance(0.3) ? this.#reset(source) : null;
    if (kind === 'roll back') return this.#rollBack(source);
    const answered = this.clients.batches.filter(each => each.source === source && each.answers.length > 0);
    if (answered.length === 0) return null;
    return this.#teach(kind, random.pick(answered));
  }

  #teach(kind: 'accept' | 'bad' | 'expected', batch: Batch): Asked<FeedbackResult> | null {
    const { number, source, answers } = batch;
    const { request_id: job, status } = answers[0]!.report;
    if (kind === 'accept' && status === 'PASS') return null;
    const effect = { accept, bad: dismiss, expected: admit }[kind];
    return {
      name: `${kind} ${number}`,
      ask: gate => {
        const reference = gate.referenceTo(source, job);
        return kind === 'accept'
          ? acceptBatch(reference, gate.deps)
          : recordFeedback(reference, kind, gate.deps);
      },
      applied: answer => effect(number, answer?.changed ?? true),
    };
  }

  #rollBack(source: string): Asked<unknown> | null {
    const { baselines } = this.simulator;
    const versions = now(baselines.versions(account, source));
    if (versions.length === 0) return null;
    const { number } = this.world.random.pick(versions);
    const copy = now(baselines.version(account, source, number))!;
    const { recent } = decodeRecord(Bun.zstdDecompressSync(copy as Uint8Array<ArrayBuffer>));
    const held = mergedIn(recent);
    const at = this.world.clock();
    return {
      name: `roll back to ${number}`,
      ask: ({ deps }) => deps.editor.rollBack(account, source, number, at, UNBOUNDED),
      applied: answer => (answer === null ? null : replace(this.#stateOf(held))),
    };
  }

  #reset(source: string): Asked<void> {
    return {
      name: 'reset',
      ask: ({ deps }) => deps.editor.reset(account, source, this.world.clock(), UNBOUNDED),
      applied: () => replace(new Map()),
    };
  }

  #look(source: string): Asked<Learned[]> {
    return {
      name: 'look',
      ask: async ({ deps }) => learnedBy(await deps.baselines.summary(account, source)),
      applied: answer => (answer === undefined ? null : see(this.#stateOf(answer))),
    };
  }

  async #act<T>(source: string, asked: Asked<T>): Promise<void> {
    const { world, clients } = this;
    const called = world.now;
    world.note('ann', `${asked.name} at ${source}`);
    const heard: Heard<T> = await world.random.pick(clients.gates).ask(gate => asked.ask(gate));
    const isAnswered = heard !== 'broken' && 'answer' in heard;
    world.note(
      'ann',
      `${asked.name}: ${isAnswered ? JSON.stringify(heard.answer) : String(heard === 'broken' ? heard : heard.error)}`,
    );
    if (heard !== 'broken' && 'error' in heard && !this.#isUnknown(heard.error)) return;
    const apply = asked.applied(isAnswered ? heard.answer : undefined);
    if (apply === null) return;
    const answered = isAnswered ? world.now : Number.POSITIVE_INFINITY;
    this.#note(source, { name: asked.name, called, answered, mayBeMissing: !isAnswered, apply });
  }

  /** Whether it may have happened in spite of the error. */
  #isUnknown(error: unknown): boolean {
    if (error instanceof Rejection) return error.code === 'SERVICE_UNAVAILABLE';
    this.bugs.push(`feedback failed: ${error instanceof Error ? error.stack : String(error)}`);
    return false;
  }

  #note(source: string, operation: Operation): void {
    const list = this.operations.get(source) ?? [];
    list.push(operation);
    this.operations.set(source, list);
  }

  #stateOf = (held: readonly Learned[]): State =>
    new Map(
      held.map(({ id, isAccepted }) => [
        this.clients.batchOf(id).number,
        isAccepted ? 'accepted' : 'learned',
      ]),
    );

  /** Each violation in a line: of feedback, and of batches that a baseline holds twice. */
  *violations(held: Held): Generator<string> {
    yield* this.bugs;
    const jobs = grouped(held.jobs, ({ job }) => this.clients.batchOf(job.id));
    const appends = grouped(appendsIn(this.world.trace), ({ id }) => this.clients.batchOf(id));
    for (const [source, learned] of held.baselines) {
      const twice = [...grouped(learned, ({ id }) => this.clients.batchOf(id))].filter(
        ([, ids]) => ids.length > 1,
      );
      for (const [{ number }, learnings] of twice) {
        const said = `the baseline of ${source} has the batch ${number} twice`;
        const isBack = learnings.some(({ id }) => isRestored(this.world.trace, id));
        yield isBack ? `${said}, once from a version that was made before it was called off` : said;
      }
      if (twice.length > 0) continue;
      const batches = this.clients.batches.filter(each => each.source === source);
      const asked = this.operations.get(source) ?? [];
      const statusOf = (batch: Batch) => jobs.get(batch)?.[0]?.job.status ?? null;
      const countOf = (batch: Batch) => (appends.get(batch) ?? []).filter(({ isAdded }) => isAdded).length;
      const at = this.world.now;
      const isReplaced = asked.some(({ name }) => /^(accept|roll back|reset)/.test(name));
      const learning = batches.flatMap(batch =>
        learningOf(batch, statusOf(batch), countOf(batch), isReplaced ? null : at),
      );
      const end = { called: at, answered: at, mayBeMissing: false, apply: see(this.#stateOf(learned)) };
      if (isLinearizable([...learning, ...asked, { name: 'the end', ...end }], new Map()) !== false) continue;
      const both = batches.find(({ number }) => isAskedAtOnce(asked, number));
      yield both === undefined
        ? `what happened to the baseline of ${source} has no order`
        : `batch ${both.number} was accepted and called expected at the same time, and that has no order`;
    }
  }
}

function isAskedAtOnce(asked: readonly Operation[], batch: number): boolean {
  const named = (name: string) => asked.filter(each => each.name === `${name} ${batch}`);
  return named('accept').some(one =>
    named('expected').some(other => one.called < other.answered && other.called < one.answered),
  );
}

/**
 * A batch that has a job and is not BLOCK was learned at some time; requests that failed may have learned it and taken it back. If its baseline
 * grew in between, the batch may be BLOCK in the end. `end`: when what a BLOCKed batch has learned is taken back at the latest, in ms; null:
 * feedback may have merged or replaced it before.
 */
function learningOf(batch: Batch, status: string | null, appends: number, end: number | null): Operation[] {
  const { number, firstSentAt: called, doneAt } = batch;
  if (called === null) return [];
  const never = Number.POSITIVE_INFINITY;
  const learned = status !== null && status !== 'BLOCK';
  const more = Math.max(0, appends - Number(learned));
  const answered = batch.answers.length > 0 ? doneAt : never;
  const optional = { called, answered: never, mayBeMissing: true };
  const isTakenBack = status === 'BLOCK' && more === 1 && end !== null;
  const takenBack = isTakenBack ? { called, answered: end - 1, mayBeMissing: false } : optional;
  return [
    ...(learned
      ? [{ name: `learn ${number}`, called, answered, mayBeMissing: false, apply: learn(number) }]
      : []),
    ...Array.from({ length: more }, () => [
      { name: `learn ${number}`, ...optional, apply: learn(number) },
      { name: `unlearn ${number}`, ...takenBack, apply: unlearn(number) },
    ]).flat(),
  ];
}

/** A rollback came after the batch was called off, and no append of it. */
function isRestored(trace: readonly string[], id: string): boolean {
  const last = (what: string) => trace.findLastIndex(line => line.includes(what));
  const calledOff = last(`baselines.callOff ${id} → true`);
  return (
    calledOff >= 0 &&
    last('baselines.restore → true') > calledOff &&
    last(`baselines.append ${id} → true`) < calledOff
  );
}

interface Append {
  id: string;
  isAdded: boolean;
}

const appendsIn = (trace: readonly string[]): Append[] =>
  trace.flatMap(line => {
    const [, id, added] = /baselines\.append (req_\w+) → (true|false)/.exec(line) ?? [];
    return id === undefined ? [] : [{ id, isAdded: added === 'true' }];
  });
