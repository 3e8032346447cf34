/**
 * Posts of a source with a window. Each is judged alone: by thresholds, structure and rules, without the past. Posts that come together leave one state behind: a state takes nearly as long
 * for one row as for a hundred, so their rows are read once more as one slice.
 *
 * The texts of posts are remembered here for a while. When a window has many states, the rows of these are read once more, and one state takes their place: that takes a tenth of merging them.
 */
import { LRUCache } from 'lru-cache';
import type { SourceNotes } from '../stores/ports.ts';
import type { MeasuredFor } from '../states/bytes/state-bytes.ts';
import { encodedState } from './encoded-state.ts';
import { ParsedBatch } from './parsed-batch.ts';
import { type AloneContext, type SaidOfPost, saidOfPost, type WindowPost } from './post-alone.ts';
import { type Failure, failedWith } from './replies.ts';
import { RowsOfPosts, type Texts } from './rows-of-posts.ts';
import type { BeginOrder, SliceTerms } from './whole-batch.ts';

export interface WindowOrder {
  /** Id of the window. */
  window: string;
  /** What its rows are compared with; absent where the thread knows it. */
  begin?: BeginOrder;
  measuredFor: MeasuredFor;
  /** Number of the part that these posts are. */
  part: number;
  /** As many rows are wanted: posts that come when these are there are left. */
  room: number;
  /** Of the source, as it is now. */
  notes: Pick<SourceNotes, 'settings' | 'rules'>;
  posts: readonly WindowPost[];
}

export interface MeasuredPosts {
  /** Of the first posts, in their order; the others were left. */
  posts: (SaidOfPost | Failure)[];
  /** Of all that is kept. */
  rows: number;
  /** Encoded; null without a row. */
  state: Uint8Array | null;
}

/** Some states of a window as one. */
export interface FoldedStates {
  numbers: number[];
  state: Uint8Array;
}

/** Windows that are remembered, how long after their last post, and bytes of the texts of one. */
const REMEMBERED = { max: 16, ttl: 60_000, ttlAutopurge: true, updateAgeOnGet: true };
const MOST_BYTES = 2 * 1024 * 1024;
/** States that become one. */
export const FOLDED_FROM = 32;

interface Known {
  terms: SliceTerms;
  measuredFor: MeasuredFor;
  /** States whose rows are remembered. */
  states: { number: number; texts: readonly Texts[] }[];
  /** Of their texts. */
  bytes: number;
}

/** The rest of the thread. */
export interface WindowContext extends AloneContext {
  termsOf(begin: BeginOrder): SliceTerms;
}

export class WindowPosts {
  readonly #context: WindowContext;
  readonly #known = new LRUCache<string, Known>(REMEMBERED);

  constructor(context: WindowContext) {
    this.#context = context;
  }

  /** Null: it has to be told what the window begins with. */
  measure({ window, begin, measuredFor, part, room, notes, posts }: WindowOrder): MeasuredPosts | null {
    if (begin)
      this.#known.set(window, { terms: this.#context.termsOf(begin), measuredFor, states: [], bytes: 0 });
    const known = this.#known.get(window);
    if (!known) return null;
    const rows = new RowsOfPosts(this.#context.engine(), known.terms, part);
    const said: MeasuredPosts['posts'] = [];
    for (const [i, post] of posts.entries()) {
      if (rows.count >= room) break;
      const { answer, parsed } = this.#saidOf(post, notes);
      said.push(answer);
      if (parsed && 'rows' in answer && !answer.dryRun)
        rows.add(post, parsed, answer, i === posts.length - 1);
    }
    const measured = rows.end();
    if (measured === null) return { posts: said, rows: 0, state: null };
    remember(known, part, rows);
    const state = encodedState({ measuredFor, ...measured });
    return { posts: said, rows: measured.state.rows, state };
  }

  /** One state in place of those whose rows are remembered, which are forgotten; null for fewer than two. One of them may not have been stored. */
  fold({ window }: { window: string }): FoldedStates | null {
    const known = this.#known.get(window);
    if (!known) return null;
    const { states, terms, measuredFor } = known;
    known.states = [];
    known.bytes = 0;
    const [first] = states;
    if (!first || states.length < 2) return null;
    const rows = new RowsOfPosts(this.#context.engine(), terms, first.number);
    for (const { texts } of states) for (const each of texts) rows.join(each);
    const state = encodedState({ measuredFor, ...rows.end()! });
    return { numbers: states.map(({ number }) => number), state };
  }

  #saidOf(post: WindowPost, notes: WindowOrder['notes']) {
    try {
      const parsed = new ParsedBatch(this.#context.engine(), post.start);
      for (const piece of post.pieces) parsed.write(piece);
      return { answer: saidOfPost(post, parsed, notes, this.#context), parsed };
    } catch (error) {
      const reply = failedWith(error);
      if ('bug' in reply) throw error;
      return { answer: reply, parsed: null };
    }
  }
}

function remember(known: Known, number: number, { isJoined, texts }: RowsOfPosts): void {
  const bytes = texts.reduce((sum, each) => sum + each.texts.reduce((all, { length }) => all + length, 0), 0);
  if (!isJoined || known.bytes + bytes > MOST_BYTES) return;
  known.states.push({ number, texts });
  known.bytes += bytes;
}
