/** Windows: what posts to one source become. */
import { OutcomeUnknown } from '../../terms/errors.ts';
import type {
  Appended,
  AppendResult,
  BatchBounds,
  CountedFinding,
  OpenWindow,
  PostAnswer,
  StoredBatch,
  WindowStore,
} from '../ports.ts';
import { sourceKey } from '../source-key.ts';
import { notNow } from '../unavailable.ts';
import { compressed, compressedBytes } from './compressed.ts';
import { MaybeCommitted, type SqlDatabase, type Statements, statementsOn, type Step } from './database.ts';
import { keepAnswer } from './job-queries.ts';
import * as windowQueries from './window-queries.ts';

const QUERIES = { ...windowQueries, keepAnswer };
const ASK_AGAIN_MS = 1000;
/** All posts of a process are counted in one row of the ledger: they are few transactions. */
const SHARD = 0;
const NOTHING = compressedBytes(new Uint8Array());

export class SqlWindows implements WindowStore {
  readonly #database: SqlDatabase;
  readonly #run: Statements<typeof QUERIES>;

  /** `written` is called with rows that the ledger now has. */
  constructor(
    database: SqlDatabase,
    readonly written: (account: string, periodStart: number, rows: number) => void = () => {},
  ) {
    this.#database = database;
    this.#run = statementsOn(database, QUERIES);
  }

  async open(
    { id, account, source: name, begun, createdAt, expiresAt }: StoredBatch,
    ends: Pick<OpenWindow, 'dueAt' | 'mostRows'>,
    { bytes: most }: Pick<BatchBounds, 'bytes'>,
  ): Promise<OpenWindow | 'full'> {
    const kept = compressedBytes(begun);
    const source = sourceKey(name);
    const values = { id, account, source, bytes: kept.length, most, ...ends };
    const isOpened = await this.#database.atomically([
      { statement: this.#run.openBatch, values: { ...values, begun: kept, createdAt, expiresAt } },
      { statement: this.#run.open, values, guard: true },
    ]);
    if (isOpened) return { id, ...ends, rows: 0 };
    return (await this.find(account, name)) ?? 'full';
  }

  async find(account: string, source: string): Promise<OpenWindow | null> {
    const [found] = await this.#run.find.run({ account, source: sourceKey(source) });
    return found ? { ...found, dueAt: found.dueAt! } : null;
  }

  async takeNumbers(id: string, count: number): Promise<number> {
    const [taken] = await this.#run.takeNumbers.run({ id, count });
    if (!taken) throw notNow();
    return taken.nextNumber - count;
  }

  async append(appended: Appended, { bytes: most }: Pick<BatchBounds, 'bytes'>): Promise<AppendResult> {
    const { account, id, number, rows, findings, periodStart, posts, answers, now } = appended;
    const state = compressedBytes(appended.state);
    const room = { id, account, rows, bytes: state.length, most, now };
    const steps: Step[] = [
      ...answers.map(answer => this.#answering(account, answer)),
      { statement: this.#run.makeRoom, values: room, guard: true },
      { statement: this.#run.addState, values: { id, number, state } },
      {
        statement: this.#run.countPosts,
        values: { account, periodStart, shard: SHARD, rows, requests: posts },
      },
      ...findings.map(finding => ({ statement: this.#run.addFinding, values: { id, ...keyOf(finding) } })),
    ];
    try {
      if (await this.#database.together(steps)) {
        this.written(account, periodStart, rows);
        return 'added';
      }
      const [found] = await this.#run.readRoom.run(room);
      if (!found?.isOpen) return 'ended';
      return found.hasRoom ? 'lost' : 'full';
    } catch (error) {
      if (!(error instanceof MaybeCommitted)) throw error;
      const outcome = this.#wasAdded(id, number);
      throw Object.assign(new OutcomeUnknown(error.message, outcome), { cause: error.cause });
    }
  }

  #answering(account: string, { key, claim, expiresAt, headers, body }: PostAnswer): Step {
    const values = { account, key, claim, expiresAt, answer: compressed({ headers, body }) };
    return { statement: this.#run.keepAnswer, values, guard: true };
  }

  /** Polls until the database answers and has had time to finish commands in progress. */
  async #wasAdded(id: string, number: number): Promise<boolean> {
    for (let answers = 0; ; ) {
      await Bun.sleep(ASK_AGAIN_MS);
      const found = await this.#run.findState.run({ id, number }).catch(() => null);
      if (found !== null && (found.length > 0 || ++answers === 2)) return found.length > 0;
    }
  }

  async soFar(id: string, limit: number): Promise<{ rows: number; findings: CountedFinding[] }> {
    const [[found], findings] = await Promise.all([
      this.#run.readRows.run({ id }),
      this.#run.readFindings.run({ id, limit }),
    ]);
    return {
      rows: found?.rows ?? 0,
      findings: findings.map(({ field, rule, ...rest }) => ({
        ...rest,
        field: field === '' ? null : field,
        rule: rule === '' ? null : rule,
      })),
    };
  }

  async end(id: string, now: number): Promise<void> {
    await this.#run.end.run({ id, now });
  }

  async endOf(account: string, source: string | null, now: number): Promise<string[]> {
    const ended =
      source === null
        ? await this.#run.endOfAccount.run({ account, now })
        : await this.#run.endOfSource.run({ account, source: sourceKey(source), now });
    return ended.map(({ id }) => id);
  }

  async due(now: number, limit: number): Promise<{ id: string; account: string }[]> {
    const due = await this.#run.due.run({ now, limit });
    if (due.length > 0) await this.#run.endDue.run({ now });
    return due;
  }

  async postpone(id: string, dueAt: number): Promise<void> {
    await this.#run.setDue.run({ id, dueAt });
  }

  async finish(id: string, requestId: string): Promise<void> {
    await this.#database.atomically([
      { statement: this.#run.finish, values: { id, requestId, begun: NOTHING } },
      { statement: this.#run.setDue, values: { id, dueAt: null } },
    ]);
  }

  async drop(id: string): Promise<void> {
    await this.#run.drop.run({ id });
  }

  sizes(id: string): Promise<{ number: number; bytes: number }[]> {
    return this.#run.sizes.run({ id });
  }

  async fold(id: string, numbers: readonly number[], into: number, state: Uint8Array): Promise<boolean> {
    const kept = compressedBytes(state);
    const sizes = new Map((await this.sizes(id)).map(({ number, bytes }) => [number, bytes]));
    const spared = numbers.reduce((sum, number) => sum + (sizes.get(number) ?? 0), 0);
    return this.#database.atomically([
      { statement: this.#run.makeLess, values: { id, bytes: kept.length - spared }, guard: true },
      ...numbers.map(number => ({ statement: this.#run.dropState, values: { id, number }, guard: true })),
      { statement: this.#run.addState, values: { id, number: into, state: kept } },
    ]);
  }
}

const keyOf = ({ field, rule, ...rest }: CountedFinding) => ({
  ...rest,
  field: field ?? '',
  rule: rule ?? '',
});
