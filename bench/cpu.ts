/** Processor time of a process or a thread. Linux only. */
import { dlopen, ptr } from 'bun:ffi';
import { readdirSync, readFileSync } from 'node:fs';

/** Processor time in seconds of a process and its descendants, without those that have ended. */
export function cpuSeconds(process: number): number {
  const parents = new Map(processes().map(id => [id, parentOf(id)]));
  const sumOf = (id: number): number => {
    const children = [...parents].filter(([, parent]) => parent === id).map(([child]) => child);
    return children.reduce((sum, child) => sum + sumOf(child), ownSeconds(id));
  };
  return sumOf(process);
}

const processes = (): number[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number);

/** The name of a process may hold brackets and blanks, so fields are counted from the last bracket. */
const parentOf = (id: number): number => Number(read(`/proc/${id}/stat`).split(') ').at(-1)!.split(' ')[1]);

/** Nanoseconds by thread. Times in `stat` are in hundredths of a second, which is more than a database process needs for a hundred requests. */
const ownSeconds = (id: number): number =>
  threads(id).reduce((sum, thread) => sum + Number(read(`${thread}/schedstat`).split(' ')[0]) / 1e9, 0);

function threads(id: number): string[] {
  try {
    return readdirSync(`/proc/${id}/task`).map(thread => `/proc/${id}/task/${thread}`);
  } catch {
    return [];
  }
}

/** Empty if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

const CLOCK_PROCESS_CPUTIME_ID = 2;
const CLOCK_THREAD_CPUTIME_ID = 3;

/** The clock of this thread's processor time, in ms: other programs on a loaded machine do not count. */
export const threadClock = (): (() => number) => clockOf(CLOCK_THREAD_CPUTIME_ID);

/** The same of all threads of this process. */
export const processClock = (): (() => number) => clockOf(CLOCK_PROCESS_CPUTIME_ID);

function clockOf(id: number): () => number {
  const { symbols } = dlopen('libc.so.6', { clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' } });
  const time = new BigInt64Array(2);
  const at = ptr(time);
  return () => {
    symbols.clock_gettime(id, at);
    return Number(time[0]) * 1e3 + Number(time[1]) / 1e6;
  };
}
