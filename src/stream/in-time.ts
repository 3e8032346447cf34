/** Limits each wait for Kafka or a store: a promise that never settles must not stop a partition for ever. */
import { withTimeout } from '../time/with-timeout.ts';
import { KafkaFailure } from './port.ts';

/** Longest waits, in ms. */
export interface Waits {
  open: number;
  commit: number;
  judge: number;
  topic: number;
  /** A partition without messages for so long is read again from where it is. */
  quiet: number;
}

export const WAITS: Waits = { open: 60_000, commit: 120_000, judge: 300_000, topic: 60_000, quiet: 30_000 };

/** Throws `KafkaFailure` after `ms`; the work may continue in the background, and nobody uses what comes of it. */
export const inTime = <T>(what: string, ms: number, work: Promise<T>): Promise<T> =>
  withTimeout(work, ms, () => {
    const message = `${what} took more than ${Math.round(ms / 1000)} seconds`;
    return new KafkaFailure('timed_out', message);
  });
