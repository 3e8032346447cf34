/** The posts of one source with a window: those that wait are measured and appended together. */
import { answerOf, type Claim, ClaimLost } from '../account/idempotency.ts';
import { remainingRowsOf, type Reservation, reserveRows } from '../account/reservation.ts';
import type { AnswerToPost, Screened, WindowedPost } from '../screen/dependencies.ts';
import type { AppendResult, CountedFinding, PostAnswer } from '../stores/ports.ts';
import { compensate, Rejection } from '../terms/errors.ts';
import type { SaidOfPost } from '../threads/post-alone.ts';
import { errorIn } from '../threads/replies.ts';
import { ThreadEnded } from '../threads/thread.ts';
import { unavailable } from '../threads/threads.ts';
import type { MeasuredPosts } from '../threads/window-posts.ts';
import type { WindowDependencies } from './dependencies.ts';
import { WINDOW_BOUNDS } from './limits.ts';
import { bytesIn, full, type OpenedWindow, openWindow } from './opened-window.ts';
import type { WindowEnds } from './window-end.ts';
import { countedFindings, FINDINGS_LISTED, listed } from './window-findings.ts';

/** Of one group. */
const MOST_POSTS = 32;
const MOST_BYTES = 1024 * 1024;
/** How long clients that were answered together may take to post again: then they are one group once more. */
const GATHER_MS = 2;
/** Of a group, which are counted. */
const FINDINGS_COUNTED = 16;
/** Windows that may end, one after the other, before a post is refused. */
const TRIES = 5;

interface Waiting extends WindowedPost {
  bytes: number;
  resolve(screened: Screened): void;
  reject(error: unknown): void;
}

/** A post that was measured and is kept. */
interface KeptPost {
  post: Waiting;
  said: SaidOfPost;
  /** Null until its rows are reserved. */
  reservation: Reservation | null;
}

/** A post of the group may be to blame: each is tried alone. */
class Apart extends Error {
  constructor(override readonly cause: unknown) {
    super('posts are tried alone');
  }
}

export class WindowLane {
  readonly #account: string;
  readonly #deps: WindowDependencies;
  readonly #ends: WindowEnds;
  #queue: Waiting[] = [];
  #isRunning = false;
  /** Posts of the last group. */
  #last = 1;
  /** Called when as many posts wait as the last group had. */
  #gathered: (() => void) | null = null;
  #window: OpenedWindow | null = null;

  constructor(account: string, deps: WindowDependencies, ends: WindowEnds) {
    this.#account = account;
    this.#deps = deps;
    this.#ends = ends;
  }

  /** Throws `Rejection`, and `ClaimLost`. */
  add(posted: WindowedPost): Promise<Screened> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...posted, bytes: bytesIn([posted.post]), resolve, reject });
      if (this.#queue.length >= this.#last) this.#gathered?.();
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#queue.length > 0) {
      if (this.#queue.length < this.#last) await this.#gather();
      const group = this.#next();
      this.#last = group.length;
      await this.#add(group);
    }
    this.#isRunning = false;
  }

  #gather(): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer);
        this.#gathered = null;
        resolve();
      };
      const timer = setTimeout(done, GATHER_MS);
      this.#gathered = done;
    });
  }

  #next(): Waiting[] {
    let [posts, bytes] = [0, 0];
    while (posts < Math.min(MOST_POSTS, this.#queue.length)) {
      bytes += this.#queue[posts]!.bytes;
      if (posts > 0 && bytes > MOST_BYTES) break;
      posts++;
    }
    return this.#queue.splice(0, posts);
  }

  /** Each post is answered, or refused. */
  async #add(posts: Waiting[]): Promise<void> {
    try {
      await this.#try(posts, TRIES);
    } catch (error) {
      if (error instanceof Apart && posts.length > 1) for (const post of posts) await this.#add([post]);
      else for (const { reject } of posts) reject(unavailable(error instanceof Apart ? error.cause : error));
    }
  }

  async #try(posts: Waiting[], tries: number): Promise<void> {
    const window = await this.#open(posts[0]!);
    const number = await window.number();
    const soFar = this.#deps.windows.soFar(window.id, FINDINGS_LISTED);
    soFar.catch(() => {});
    const measured = await this.#measured(window, number, posts);
    this.#queue.unshift(...posts.slice(measured.posts.length));
    const said = this.#kept(posts, measured);
    if (said.length === 0) return;
    const refused = await this.#reserve(said);
    const left = said.filter(each => !refused.includes(each)).map(({ post }) => post);
    // What was measured has the rows of those that are refused.
    if (refused.length > 0) return left.length > 0 ? this.#try(left, tries) : undefined;
    const before = await soFar;
    const result = await this.#append(window, number, measured, said, before);
    if (result === 'added') return this.#added(window, before.rows + measured.rows, measured.state!.length);
    if (result === 'lost') throw new Apart(new ClaimLost());
    if (tries === 1 || (result === 'full' && window.rows === 0)) throw full();
    this.#window = null;
    await this.#end(window.id);
    await this.#try(left, tries - 1);
  }

  // ---- the window ----

  async #open(post: Waiting): Promise<OpenedWindow> {
    const known = this.#window;
    if (known && !known.isOver(this.#deps.now())) return known;
    this.#window = null;
    if (known) await this.#endHere(known);
    this.#window = await openWindow(post, id => this.#end(id), this.#deps);
    return this.#window;
  }

  async #endHere(window: OpenedWindow): Promise<void> {
    await window.fold().catch(() => {});
    await this.#end(window.id);
  }

  /** Nobody waits until it is judged. */
  async #end(id: string): Promise<void> {
    await this.#deps.windows.end(id, this.#deps.now());
    void this.#ends.finish({ id, account: this.#account });
  }

  // ---- measuring ----

  /** Throws `Apart` where one post may be to blame. */
  async #measured(window: OpenedWindow, number: number, posts: readonly Waiting[]): Promise<MeasuredPosts> {
    // Of the one that came last: what was changed before it came holds.
    const { notes } = posts.at(-1)!;
    try {
      return await window.measure(
        number,
        posts.map(({ post }) => post),
        notes,
      );
    } catch (error) {
      const isBusy = error instanceof Rejection && error.code === 'SERVICE_UNAVAILABLE';
      throw isBusy ? error : new Apart(error);
    }
  }

  /** The posts that are kept. The others are answered here. */
  #kept(posts: readonly Waiting[], { posts: measured }: MeasuredPosts): KeptPost[] {
    return measured.flatMap((said, i) => {
      const post = posts[i]!;
      if (!('rows' in said)) {
        post.reject(unavailable(errorIn(said)));
        return [];
      }
      if (!said.dryRun) return [{ post, said, reservation: null }];
      void this.#answerDryRun(post, said);
      return [];
    });
  }

  async #answerDryRun(post: Waiting, said: SaidOfPost): Promise<void> {
    const { account, claim } = post;
    try {
      if (claim) await this.#deps.idempotency.unclaim(account.id, claim.key, claim.id);
      post.resolve(post.answer(said, null, await remainingRowsOf(account, this.#deps)).screened);
    } catch (error) {
      post.reject(error);
    }
  }

  // ---- appending ----

  /** Reserves the rows of each post. Returns those that may not have theirs, which are refused here; then nothing is reserved. */
  async #reserve(said: KeptPost[]): Promise<KeptPost[]> {
    const refused: KeptPost[] = [];
    for (const each of said)
      try {
        each.reservation = await reserveRows(each.post.account, each.said.rows, this.#deps);
      } catch (error) {
        each.post.reject(error);
        refused.push(each);
      }
    const periods = new Set(said.flatMap(({ reservation }) => reservation?.periodStart ?? []));
    if (refused.length > 0 || periods.size > 1) await compensate(null, () => release(said));
    // Posts of two billing periods are counted apart.
    if (refused.length === 0 && periods.size > 1) throw new Apart(null);
    return refused;
  }

  /** Answers the posts if they are added; else nothing stays reserved. */
  async #append(
    { id }: OpenedWindow,
    number: number,
    { state, rows }: MeasuredPosts,
    said: readonly KeptPost[],
    before: { rows: number; findings: CountedFinding[] },
  ): Promise<AppendResult> {
    const now = this.#deps.now();
    const [{ reservation }] = said as [KeptPost, ...KeptPost[]];
    const findings = countedFindings(said.map(each => each.said.findings));
    try {
      const answers = await answersTo(said, id, before, listed([...before.findings, ...findings]));
      const result = await this.#deps.windows.append(
        {
          ...{ account: this.#account, id, number, rows, state: state!, now, posts: said.length },
          findings: findings.slice(0, FINDINGS_COUNTED),
          periodStart: reservation!.periodStart,
          answers: answers.flatMap(({ post: { claim }, answer }) =>
            claim ? keptAnswer(claim, answer, now) : [],
          ),
        },
        WINDOW_BOUNDS,
      );
      if (result === 'added') for (const { post, answer } of answers) post.resolve(answer.screened);
      else await compensate(null, () => release(said));
      return result;
    } catch (error) {
      await compensate(error, () => release(said));
      throw error;
    }
  }

  /** Nobody waits for it, but the next post of the source. */
  async #added(window: OpenedWindow, rows: number, stateBytes: number): Promise<void> {
    try {
      await window.added(rows, stateBytes);
      if (!window.isOver(this.#deps.now())) return;
      this.#window = null;
      await this.#endHere(window);
    } catch (error) {
      const isExpected = error instanceof Rejection || error instanceof ThreadEnded;
      if (!isExpected) this.#deps.log.error({ err: error }, 'bug');
    }
  }
}

const release = (said: readonly KeptPost[]): Promise<unknown> =>
  Promise.all(said.map(({ reservation }) => reservation?.release()));

/** With what the window has before them. Throws `Rejection`. */
async function answersTo(
  said: readonly KeptPost[],
  id: string,
  before: { rows: number },
  findings: ReturnType<typeof listed>,
): Promise<{ post: Waiting; answer: AnswerToPost }[]> {
  let { rows } = before;
  const answers: { post: Waiting; answer: AnswerToPost }[] = [];
  for (const { post, said: each, reservation } of said) {
    rows += each.rows;
    const remainingRows = await reservation!.confirm();
    answers.push({ post, answer: post.answer(each, { batch_id: id, rows, ...findings }, remainingRows) });
  }
  return answers;
}

const keptAnswer = (claim: Claim, { kept: { headers, body } }: AnswerToPost, at: number): PostAnswer => ({
  ...answerOf(claim, at, headers),
  body,
});
