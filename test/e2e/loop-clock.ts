/**
 * Measures how long a process holds its event loop: loaded before the program (`bun --preload`), asked over HTTP. A timer is due every millisecond; how
 * late it comes is how long one turn took. Processor time of the thread counts, so that other programs do not.
 */
import { dlopen, ptr } from 'bun:ffi';

const CLOCK_THREAD_CPUTIME_ID = 3;
const EVERY_MS = 1;

const { symbols } = dlopen('libc.so.6', { clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' } });
const time = new BigInt64Array(2);

function processorMs(): number {
  symbols.clock_gettime(CLOCK_THREAD_CPUTIME_ID, ptr(time));
  return Number(time[0]) * 1000 + Number(time[1]) / 1e6;
}

let longest = 0;
let before = processorMs();

function tick(): void {
  longest = Math.max(longest, processorMs() - before);
  setTimeout(tick, EVERY_MS).unref();
  before = processorMs();
}
tick();

/** The longest turn since the last question, in ms of processor time. */
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch() {
    const answer = new Response(String(longest));
    longest = 0;
    return answer;
  },
});
server.unref();
process.stdout.write(`loop clock ${server.port}\n`);
