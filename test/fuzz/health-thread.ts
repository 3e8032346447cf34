/**
 * Asks a server for its health again and again, in a thread of its own, so that the clients beside it do not delay the answers. What counts is how
 * long the server's thread computed before it answered: other programs on the machine do not.
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

declare const self: Worker;

export const HEALTH = { most: 0, answers: 1, asked: 2, size: 3 } as const;
export interface HealthStart {
  port: number;
  pid: number;
  /** The longest wait in ms, the number of answers, and what the server had computed when a question was asked that waits, in ms. */
  shared: SharedArrayBuffer;
}

const EVERY_MS = 2;
const REQUEST = 'GET /v1/health HTTP/1.1\r\nHost: a\r\n\r\n';

if (!Bun.isMainThread)
  self.onmessage = ({ data: { port, pid, shared } }: MessageEvent<HealthStart>) => {
    const values = new Float64Array(shared);
    const computedMs = () => {
      try {
        return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
      } catch {
        return 0;
      }
    };
    /** How long this thread has waited for a processor: an answer may lie there meanwhile. */
    const delayedMs = () => Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6;
    let [sentAt, computed, delayed] = [0, 0, 0];
    const socket = connect(port, '127.0.0.1');
    const ask = () => {
      [sentAt, computed, delayed] = [performance.now(), computedMs(), delayedMs()];
      values[HEALTH.asked] = computed;
      socket.write(REQUEST);
    };
    socket.setNoDelay(true);
    socket.on('connect', ask);
    socket.on('error', () => {});
    socket.on('data', bytes => {
      // The body is the end of an answer.
      if (!bytes.includes('}')) return;
      const waitedMs = performance.now() - sentAt - (delayedMs() - delayed);
      const ms = Math.min(waitedMs, computedMs() - computed);
      values[HEALTH.asked] = Number.NaN;
      values[HEALTH.most] = Math.max(values[HEALTH.most]!, ms);
      values[HEALTH.answers]!++;
      setTimeout(ask, EVERY_MS);
    });
  };
