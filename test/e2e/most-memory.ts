/** The most resident memory that a process takes: measured, and by the formula of docs/containers.md. */
import { readFileSync } from 'node:fs';
import type { Config } from '../../src/config/config.ts';
import { processKeptBytes } from '../../src/threads/kept-bytes.ts';

export const MIB = 1024 * 1024;
/** The program, what it makes of batches, and the bytes on their way from sockets. */
const PROGRAM_BYTES = 768 * MIB;
/** Of a thread beside the body: tables, scratch, 19 bytes for each of 2,000,000 cells, twice while a table grows, and what it knows of sources. */
const THREAD_BYTES = 160 * MIB;

/** The most resident memory of a process so far. Only on Linux. */
export const peakBytesOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;

export const mostMemoryBytes = ({
  maxBodyBytes,
  engineThreads,
}: Pick<Config, 'maxBodyBytes' | 'engineThreads'>): number =>
  PROGRAM_BYTES + processKeptBytes.max + (engineThreads + 1) * (maxBodyBytes + THREAD_BYTES);
