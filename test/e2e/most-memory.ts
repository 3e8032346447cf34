/** The most resident memory that a process takes: measured, and by the formula of docs/containers.md. */
import { readFileSync } from 'node:fs';
import { MAX_ENGINES } from '../../src/engine/pool.ts';
import { processBufferedBytes } from '../../src/intake/engine-lease.ts';

export const MIB = 1024 * 1024;
/** The program, what it makes of batches, and the bytes on their way from sockets. */
const PROGRAM_BYTES = 384 * MIB;
/** Beside the body: tables, scratch, and 19 bytes for each of 2,000,000 cells, twice while a table grows. */
const COLUMNS_BYTES = 96 * MIB;

/** The most resident memory of a process so far. Only on Linux. */
export const peakBytesOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;

export const mostMemoryBytes = (maxBodyBytes: number): number =>
  PROGRAM_BYTES + processBufferedBytes.max + MAX_ENGINES * (maxBodyBytes + COLUMNS_BYTES);
