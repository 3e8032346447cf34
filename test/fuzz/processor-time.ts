/** Processor time of this thread: other programs on the machine do not count. */
import { dlopen, ptr } from 'bun:ffi';

const CLOCK_THREAD_CPUTIME_ID = 3;
const { symbols } = dlopen('libc.so.6', { clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' } });
const time = new BigInt64Array(2);

export function processorMs(): number {
  symbols.clock_gettime(CLOCK_THREAD_CPUTIME_ID, ptr(time));
  return Number(time[0]) * 1000 + Number(time[1]) / 1e6;
}
