/** Time that processors have spent on a process. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second for all programs, whatever its own clock. */
const TICKS_PER_SECOND = 100;

interface Stat {
  parent: number;
  seconds: number;
}

/** Seconds of processor time of a process and all that descend from it, ended ones included; 0 when it has ended itself. */
export function cpuSeconds(process: number): number {
  const stats = allStats();
  const sumOf = (id: number): number => {
    const children = [...stats].filter(([, { parent }]) => parent === id).map(([child]) => child);
    return children.reduce((sum, child) => sum + sumOf(child), stats.get(id)?.seconds ?? 0);
  };
  return sumOf(process);
}

function allStats(): Map<number, Stat> {
  const ids = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  return new Map(
    ids.flatMap(id => {
      const stat = statOf(id);
      return stat ? [[Number(id), stat] as const] : [];
    }),
  );
}

/** Null for a process that has ended meanwhile. */
function statOf(id: string): Stat | null {
  try {
    // A process' name may hold brackets and blanks: fields are counted from its last bracket on.
    const fields = readFileSync(`/proc/${id}/stat`, 'latin1').split(') ').at(-1)!.split(' ');
    // In programs and in the kernel, of itself and of children that have ended.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND };
  } catch {
    return null;
  }
}
