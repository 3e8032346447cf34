/**
 * What another client feels: `GET /v1/health` and `POST /v1/screen` of ten rows, one after the other, from a process of its own, so that
 * what the attacker's clients do is not measured.
 */
export interface Percentiles {
  count: number;
  p50: number;
  p99: number;
  most: number;
}

/** In ms. */
export interface Felt {
  health: Percentiles;
  screen: Percentiles;
  /** Requests without the answer 200. */
  failed: number;
}

interface Took {
  health: number[];
  screen: number[];
  failed: number;
}

const PROBE_EVERY_MS = 5;
const ROWS = Array.from({ length: 10 }, (_, i) => ({ id: i, amount: i * 1.5, name: `name ${i}` }));
const BATCH = JSON.stringify({ source: 'neighbour', rows: ROWS });

/** What a client with `key` felt while `work` ran. */
export async function feltDuring(url: string, key: string, work: () => Promise<unknown>): Promise<Felt> {
  const prober = Bun.spawn([process.execPath, import.meta.path, url, key], { stdin: 'pipe', stdout: 'pipe' });
  let said = '';
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const read = (async () => {
    for await (const bytes of prober.stdout) {
      said += Buffer.from(bytes).toString();
      if (said.startsWith('probing')) begin();
    }
  })();
  await begun;
  await work();
  prober.stdin.end();
  await read;
  const { health, screen, failed } = JSON.parse(said.slice(said.indexOf('{'))) as Took;
  return { health: percentilesOf(health), screen: percentilesOf(screen), failed };
}

function percentilesOf(took: readonly number[]): Percentiles {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Number(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1));
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) };
}

async function probe(url: string, key: string): Promise<void> {
  let isAsked = true;
  void Bun.stdin.text().then(() => {
    isAsked = false;
  });
  const took: Took = { health: [], screen: [], failed: 0 };
  const ask = async (name: 'health' | 'screen', init?: RequestInit): Promise<void> => {
    const since = performance.now();
    const status = await fetch(`${url}/v1/${name}`, init).then(
      async response => (await response.text()) && response.status,
      () => 0,
    );
    if (status !== 200) took.failed++;
    took[name].push(performance.now() - since);
    await Bun.sleep(PROBE_EVERY_MS);
  };
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const screen = { method: 'POST', body: BATCH, headers };
  // The first ones are compiled, and are not measured.
  for (let i = 0; i < 20; i++) await ask('screen', screen);
  took.screen = [];
  console.log('probing');
  do {
    await ask('health');
    await ask('screen', screen);
  } while (isAsked);
  console.log(JSON.stringify(took));
}

if (import.meta.main) await probe(process.argv[2]!, process.argv[3]!);
