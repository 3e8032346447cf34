/**
 * How much memory does the server need for many concurrent uploads, and does it grow with every batch?
 *
 * The real program in its own process. First `uploads` wide uploads at once, which must all be answered with 200, and the peak
 * resident memory; then `screens` wide batches one after the other.
 */
import { Child, postHead } from './child.ts';
import { fullScan, payloadsOf } from './payloads.ts';
import { rounded, shareOf } from './race.ts';
import { wideTable } from './tables.ts';

export interface MemoryEffort {
  rows: number;
  payloads: number;
  uploads: number;
  screens: number;
  /** Screens before the first measurement, so that pools, caches and the collector settle. */
  warmScreens: number;
  /** Screens in one measurement: the median evens out the cycles of the collector (`src/engine/collector.ts`). */
  look: number;
}

export const MEMORY_EFFORT: MemoryEffort = {
  rows: 10_000,
  payloads: 3,
  uploads: 64,
  screens: 3000,
  warmScreens: 500,
  look: 500,
};

export interface MemoryResult {
  uploads: { at_once: number; answered_200: number; peak_rss_mb: number; ms: number };
  screens: {
    count: number;
    rss_after_warm_up_mb: number;
    rss_at_end_mb: number;
    /** Memory at the end / after warm-up: 1 means no growth. */
    growth: number;
    /** Resident memory at every tenth of the way. */
    rss_on_the_way_mb: number[];
    rows_per_s: number;
  };
}

export async function benchMemory(seed: number, effort = MEMORY_EFFORT): Promise<MemoryResult> {
  const payloads = payloadsOf(seed, effort, wideTable, fullScan()).map(({ bytes }) => bytes);
  await using sluice = await Child.sluice();
  return {
    uploads: await uploadsAtOnce(sluice, payloads, effort.uploads),
    screens: await screensInARow(sluice, payloads, effort),
  };
}

async function uploadsAtOnce(sluice: Child, payloads: Uint8Array[], uploads: number) {
  const connections = await Promise.all(Array.from({ length: uploads }, () => sluice.connect()));
  const begun = performance.now();
  const answers = await Promise.all(
    connections.map((connection, i) => {
      const bytes = payloads[i % payloads.length]!;
      return connection.request(postHead(bytes.length), bytes);
    }),
  );
  const ms = Math.round(performance.now() - begun);
  for (const connection of connections) connection.close();
  const answered = answers.filter(({ status }) => status === 200).length;
  return { at_once: uploads, answered_200: answered, peak_rss_mb: sluice.peakRssMb(), ms };
}

async function screensInARow(sluice: Child, payloads: Uint8Array[], effort: MemoryEffort) {
  const { rows, screens, warmScreens, look } = effort;
  const connection = await sluice.connect();
  const rss: number[] = [];
  const begun = performance.now();
  for (let i = 0; i < screens; i++) {
    const bytes = payloads[i % payloads.length]!;
    await connection.ok(postHead(bytes.length), bytes);
    rss.push(sluice.rssMb());
  }
  const seconds = (performance.now() - begun) / 1000;
  const warm = shareOf(rss.slice(warmScreens, warmScreens + look), 0.5);
  const end = shareOf(rss.slice(-look), 0.5);
  return {
    count: screens,
    rss_after_warm_up_mb: warm,
    rss_at_end_mb: end,
    growth: rounded(end / warm),
    rss_on_the_way_mb: Array.from(
      { length: 10 },
      (_, tenth) => rss[Math.floor(((tenth + 1) * screens) / 10) - 1]!,
    ),
    rows_per_s: Math.round((screens * rows) / seconds),
  };
}
