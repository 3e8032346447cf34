/** What a baseline knows of a batch besides its fields. */
import type { Verdict } from '../terms/verdict.ts';

export interface BatchFacts {
  /** The request's id, at most 64 characters; ids sort by time. */
  id: string;
  /** When it was screened, in ms. */
  at: number;
  /** One chunk of a larger batch: its row count says nothing. */
  chunk: boolean;
  /** The source's first batch, and BLOCK: it counts only until a better one comes. */
  provisional: boolean;
  /** It was accepted as the new normal. */
  accepted?: boolean;
  /** It was WARN, and no BLOCK, because its report proposed it as a new normal. */
  proposed?: boolean;
  verdict: Verdict;
  /** 0..1. */
  health: number;
}
