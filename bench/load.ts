/**
 * How much processor time does a batch take while several clients post at once, compared with handlers that do less? Of ten rows, and of the narrow table.
 *
 * No two batches of ten rows are alike, and about a third of them are WARN. `first` are the first batches of a fresh process. A source of `young` has as many batches as
 * a round; the other sources grow from round to round. Posts to `window` are judged alone, and together are batches of 5,000 rows.
 */
import { Child, settingsHead } from './child.ts';
import { named, type Payload, payloadsOf } from './payloads.ts';
import { rounded } from './race.ts';
import { inRounds, LoadedServer, type LoadFigure, type RoundsEffort } from './rounds.ts';
import { narrowTable, noisyTable } from './tables.ts';

export interface LoadEffort {
  small: RoundsEffort;
  narrow: RoundsEffort & { rows: number };
}

export const LOAD_EFFORT: LoadEffort = {
  small: { batches: 1000, warmRounds: 3, rounds: 10 },
  narrow: { batches: 60, warmRounds: 3, rounds: 10, rows: 10_000 },
};

export interface LoadResult {
  /** Core time of ten rows / that of the handler that only writes what it must, and of an echo, with as many clients; `window`: to a source with a window; of the narrow table / `await req.json()`. */
  ratios: Record<
    | 'first'
    | 'young'
    | 'one_client'
    | 'one_source'
    | 'eight_sources'
    | 'one_source_echo'
    | 'window'
    | 'window_one_client'
    | 'narrow_req_json',
    number
  >;
  small: Record<
    | 'first'
    | 'young'
    | 'one_client'
    | 'one_source'
    | 'eight_sources'
    | 'window'
    | 'window_one_client'
    | 'durable_one_client'
    | 'durable'
    | 'echo',
    LoadFigure
  >;
  narrow: Record<'sluice' | 'req_json', LoadFigure>;
}

const SMALL_ROWS = 10;
const SMALL_CLIENTS = 8;
const NARROW_CLIENTS = 4;
const PAYLOADS = 3;

export async function benchLoad(seed: number, effort = LOAD_EFFORT): Promise<LoadResult> {
  await using sluice = await Child.sluice();
  const small = await underSmall(seed, effort.small, sluice);
  const narrow = await underNarrow(seed, effort.narrow, sluice);
  const ratio = (ours: LoadFigure, theirs: LoadFigure) => rounded(ours.core_ms / theirs.core_ms);
  return {
    ratios: {
      first: ratio(small.first, small.durable),
      young: ratio(small.young, small.durable),
      one_client: ratio(small.one_client, small.durable_one_client),
      one_source: ratio(small.one_source, small.durable),
      eight_sources: ratio(small.eight_sources, small.durable),
      window: ratio(small.window, small.durable),
      window_one_client: ratio(small.window_one_client, small.durable_one_client),
      one_source_echo: ratio(small.one_source, small.echo),
      narrow_req_json: ratio(narrow.sluice, narrow.req_json),
    },
    small,
    narrow,
  };
}

async function underSmall(seed: number, effort: RoundsEffort, sluice: Child): Promise<LoadResult['small']> {
  await using durable = await Child.peer('durable');
  await using echo = await Child.peer('elysia_echo');
  let servers = 0;
  const of = (child: Child, clients: number, sources: number, isYoung = false) => {
    const name = `bench-${servers++}`;
    return new LoadedServer(child, clients, round =>
      smallPayloads(seed + round * 1_000_003, effort.batches, sources, isYoung ? `${name}-${round}` : name),
    );
  };
  const first = await firstOf(of, effort);
  await setWindow(sluice, 'bench-window-0');
  await setWindow(sluice, 'bench-lone-window-0');
  const ofWindow = (name: string, clients: number) =>
    new LoadedServer(sluice, clients, round =>
      smallPayloads(seed + round * 1_000_003, effort.batches, 1, name),
    );
  const others = await inRounds(
    {
      window: ofWindow('bench-window', SMALL_CLIENTS),
      window_one_client: ofWindow('bench-lone-window', 1),
      young: of(sluice, SMALL_CLIENTS, 1, true),
      one_client: of(sluice, 1, 1),
      one_source: of(sluice, SMALL_CLIENTS, 1),
      eight_sources: of(sluice, SMALL_CLIENTS, SMALL_CLIENTS),
      durable_one_client: of(durable, 1, 1),
      durable: of(durable, SMALL_CLIENTS, SMALL_CLIENTS),
      echo: of(echo, SMALL_CLIENTS, 1),
    },
    effort,
  );
  return { first, ...others };
}

/** Its posts become one batch of 5,000 rows at a time. */
async function setWindow(server: Child, source: string): Promise<void> {
  const settings = new TextEncoder().encode(JSON.stringify({ window: { rows: 5000, ms: 60_000 } }));
  const connection = await server.connect();
  await connection.ok(settingsHead(source, settings.length), settings);
  connection.close();
}

async function firstOf(
  of: (child: Child, clients: number, sources: number) => LoadedServer,
  { batches }: RoundsEffort,
): Promise<LoadFigure> {
  await using fresh = await Child.sluice();
  const { first } = await inRounds(
    { first: of(fresh, SMALL_CLIENTS, 1) },
    { batches, warmRounds: 0, rounds: 1 },
  );
  return first;
}

/** As many as a round posts, none twice. */
const smallPayloads = (seed: number, batches: number, sources: number, name: string): Payload[][] =>
  Array.from({ length: sources }, (_, i) => {
    const each = { payloads: Math.ceil(batches / sources), rows: SMALL_ROWS };
    return payloadsOf(seed + i * 7919, each, noisyTable, named(`${name}-${i}`));
  });

async function underNarrow(
  seed: number,
  effort: LoadEffort['narrow'],
  sluice: Child,
): Promise<LoadResult['narrow']> {
  const body = named('bench', { full_scan: true });
  const payloads = [payloadsOf(seed, { payloads: PAYLOADS, rows: effort.rows }, narrowTable, body)];
  await using reqJson = await Child.peer('req_json');
  const servers = {
    sluice: new LoadedServer(sluice, NARROW_CLIENTS, () => payloads),
    req_json: new LoadedServer(reqJson, NARROW_CLIENTS, () => payloads),
  };
  return await inRounds(servers, effort);
}
