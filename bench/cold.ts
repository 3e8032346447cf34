/**
 * How long does it take from the start of the process to the answer to the first wide batch?
 *
 * Measured from the spawn of the real program, on an empty data folder, to the last byte of its first answer, beside a bare
 * Bun handler with `await req.json()`. The first start of each is not counted, so that the files are in the page cache.
 */
import { Child, postHead } from './child.ts';
import { fullScan, payloadsOf } from './payloads.ts';
import { ratioOf, type Timing, timingOf } from './race.ts';
import { wideTable } from './tables.ts';

export interface ColdEffort {
  rows: number;
  payloads: number;
  starts: number;
}

export const COLD_EFFORT: ColdEffort = { rows: 10_000, payloads: 3, starts: 15 };

export interface ColdResult {
  ratios: { first_answer_req_json: number };
  first_answer: { sluice: Timing; req_json: Timing };
}

export async function benchCold(seed: number, effort = COLD_EFFORT): Promise<ColdResult> {
  const payloads = payloadsOf(seed, effort, wideTable, fullScan()).map(({ bytes }) => bytes);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let start = 0; start <= effort.starts; start++) {
    const bytes = payloads[start % payloads.length]!;
    ours.push(await firstAnswerMs(Child.sluice, bytes));
    theirs.push(await firstAnswerMs(() => Child.peer('req_json'), bytes));
  }
  const sluice = timingOf(ours.slice(1));
  const reqJson = timingOf(theirs.slice(1));
  return {
    ratios: { first_answer_req_json: ratioOf(sluice, reqJson) },
    first_answer: { sluice, req_json: reqJson },
  };
}

async function firstAnswerMs(start: () => Promise<Child>, bytes: Uint8Array): Promise<number> {
  const begun = performance.now();
  await using child = await start();
  const connection = await child.connect();
  await connection.ok(postHead(bytes.length), bytes);
  return performance.now() - begun;
}
