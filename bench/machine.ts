/** Describes the machine and versions of a run: figures mean nothing without them. */
import { readFileSync } from 'node:fs';
import { cpus, platform, release, totalmem } from 'node:os';
import papaparse from 'papaparse/package.json' with { type: 'json' };
import udsv from 'udsv/package.json' with { type: 'json' };

export interface Machine {
  cpu: string;
  cores: number;
  memory_gb: number;
  os: string;
  bun: string;
  papaparse: string;
  udsv: string;
}

export const machine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memory_gb: Math.round(totalmem() / 1e9),
  os: `${platform()} ${release()}`,
  bun: Bun.version,
  papaparse: papaparse.version,
  udsv: udsv.version,
});

/** Peak resident memory of a process (by default this one), in MB of 10^6 bytes. Linux only. */
export const peakRssMb = (process: number | 'self' = 'self'): number => statusMb(process, 'VmHWM');

/** Resident memory now, in MB of 10^6 bytes. */
export const rssMb = (process: number | 'self' = 'self'): number => statusMb(process, 'VmRSS');

function statusMb(process: number | 'self', entry: string): number {
  const status = readFileSync(`/proc/${process}/status`, 'utf8');
  const kib = new RegExp(`^${entry}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
  if (kib === undefined) throw new Error(`/proc/${process}/status has no ${entry}`);
  return Math.round((Number(kib) * 1024) / 1e5) / 10;
}
