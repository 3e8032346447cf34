/** Time that processors have spent on a process. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/** Seconds of processor time of a process and all that descend from it; what has ended is not counted. */
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

/** A process' name may hold brackets and blanks: fields are counted from its last bracket on. */
const parentOf = (id: number): number => Number(read(`/proc/${id}/stat`).split(') ').at(-1)!.split(' ')[1]);

/** By thread in nanoseconds. The times in `stat` are whole hundredths of a second, more than a database's process takes for a hundred requests. */
const ownSeconds = (id: number): number =>
  threads(id).reduce((sum, thread) => sum + Number(read(`${thread}/schedstat`).split(' ')[0]) / 1e9, 0);

function threads(id: number): string[] {
  try {
    return readdirSync(`/proc/${id}/task`).map(thread => `/proc/${id}/task/${thread}`);
  } catch {
    return [];
  }
}

/** Empty for a process that has ended meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
