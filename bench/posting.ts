/** Starts the clients of `posters.ts` in their own process. */
import { join } from 'node:path';
import { linesOf } from './output.ts';
import type { Posted } from './posters.ts';

const POSTERS = join(import.meta.dir, 'posters.ts');

export interface Posting {
  port: number;
  clients: number;
  rows: number;
  seed: number;
  ms: number;
}

/** Resolves when each client has its first answer, with a function that resolves with the result. */
export async function startPosting({
  port,
  clients,
  rows,
  seed,
  ms,
}: Posting): Promise<() => Promise<Posted>> {
  const child = Bun.spawn([process.execPath, POSTERS, ...[port, clients, rows, seed, ms].map(String)], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const lines = linesOf(child.stdout);
  await lines.next();
  const last = lines.next();
  return async () => {
    const { value } = await last;
    if (value === undefined) throw new Error('the posters have ended without a result');
    return JSON.parse(value) as Posted;
  };
}
