/**
 * What the program may say otherwise than it did when the recording was made. Each allowance is a change that was meant: it has a
 * name and a reason, and brings the recorded document, the present one or both into one form. Everything else is a difference.
 */
import type { Entry } from './program.ts';

export interface Allowance {
  name: string;
  /** One sentence. */
  why: string;
  /** The document in the common form; it may be changed in place. */
  apply(entry: Entry, side: 'recorded' | 'now'): Entry;
}

/** Empty it when the recording is made again. */
export const ALLOWANCES: readonly Allowance[] = [
  {
    name: 'messages for people',
    why: 'A refusal is its status and its code, and a call its effect; their words may become plainer, and other tests hold what they say.',
    apply(entry) {
      delete (entry.answer as { message?: string }).message;
      return entry;
    },
  },
];
