/** Posts the histories to the program, in process and by its HTTP interface alone, and collects what it says and what it keeps. */
import { createHash } from 'node:crypto';
import { SCALE_KEY } from '../http/stores.ts';
import { Service } from '../http/service.ts';
import type { Called, Format, History, Screened } from './steps.ts';

export type Mode = 'contract' | 'adaptive';
export const MODES: readonly Mode[] = ['contract', 'adaptive'];

/** One entry of the recording: of a batch, of a call, or of what a history has led to. */
export interface Entry {
  history: string;
  mode: Mode;
  name: string;
  /** Digest of what was sent: it tells a changed batch from a changed program. */
  sent: string;
  status: number;
  answer: unknown;
  /**
   * Batches that have a job: what GET /v1/jobs/{id} shows where values are not stored. Of its report only the members that are
   * not those of the answer, and its profile only in contract mode: in adaptive mode it is the same.
   */
  kept?: Json;
  /** Of some histories: the job's profile where values are stored. */
  profile?: unknown;
}

/** When the first history begins, 2026-11-01T00:00:00.000Z; each one after it begins later, so that time never goes back. */
const BEGIN = Date.UTC(2026, 10);
const SLOT_MS = 200 * 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const SAMPLE_ROWS = 1000;

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A service whose time and randomness are those of the step it is in. */
class Program {
  #now = BEGIN;
  #seed = '';
  readonly #service: Service;

  constructor(
    readonly mode: Mode,
    storeValues: boolean,
  ) {
    this.#service = new Service({
      now: () => this.#now,
      random: bytes => this.#random(bytes),
      sampleRows: SAMPLE_ROWS,
      defaultMode: mode,
      storeValues,
    });
  }

  /** The same bytes within a step, however often they are asked for. */
  #random(bytes: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(createHash('sha256').update(this.#seed).digest().subarray(0, bytes));
  }

  /** `place`: the history's among all. */
  begin(place: number, { source, everyHours }: History, step: number): void {
    this.#now = BEGIN + place * SLOT_MS + step * everyHours * HOUR_MS;
    this.#seed = `${source} ${step}`;
  }

  async ask(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { 'X-API-Key': SCALE_KEY, ...(body && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
    });
    const response = await this.#service.app.handle(request);
    return { status: response.status, body: settled(await response.json()) };
  }

  post(source: string, { format, text, options, headers }: Screened) {
    const asked = JSON.stringify({ ...options, mode: this.mode });
    const name = JSON.stringify(source);
    if (format === 'json')
      return this.ask('POST', '/v1/screen', `{"source":${name},"options":${asked},"rows":${text}}`, headers);
    return this.ask('POST', '/v1/screen', text, {
      'Content-Type': TYPES[format],
      'X-Source': encodeURIComponent(source),
      'X-Options': asked,
      ...headers,
    });
  }
}

const TYPES: Record<Format, string> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
};

type Json = Record<string, unknown>;

/** Without the time that it took. */
function settled(body: unknown): Json {
  const { latency_ms, report, ...others } = body as Json;
  return {
    ...others,
    ...(latency_ms !== undefined && { latency_ms: 0 }),
    ...(report !== undefined && { report: settled(report) }),
  };
}

/** What a person would see where values are stored, of the same batches. */
interface Stored {
  report: unknown;
  profile: unknown;
}

/** Plays a history and calls `add` for each entry. */
async function play(
  run: Program,
  place: number,
  history: History,
  add: (entry: Entry, stored: Stored | null) => void,
): Promise<void> {
  const { source, steps } = history;
  const path = `/v1/schema/${encodeURIComponent(source)}`;
  const jobs: (string | null)[] = [];
  const { mode } = run;
  for (const [at, step] of steps.entries()) {
    run.begin(place, history, at);
    const name = `${at} ${step.name}`;
    if (step.kind === 'call') {
      const { text, status, body } = await call(run, path, step, jobs);
      add({ history: source, mode, name, sent: digest(text).slice(0, 12), status, answer: body }, null);
      continue;
    }
    const { status, body } = await run.post(source, step);
    const isDry = (body.stats as Json | undefined)?.dry_run === true;
    const id = status === 200 ? (body.request_id as string) : null;
    const kept = id === null || isDry ? null : (await run.ask('GET', `/v1/jobs/${id}`)).body;
    jobs.push(id);
    const sent = digest(step.text + JSON.stringify([step.options, step.headers])).slice(0, 12);
    const entry = { history: source, mode, name, sent, status, answer: body };
    const shown = kept && { ...kept, report: changes(kept.report as Json, body) };
    add({ ...entry, ...(shown && { kept: shown }) }, kept && { report: kept.report, profile: kept.profile });
  }
  for (const [name, end] of [
    ['history', '/history?limit=200'],
    ['baseline', ''],
  ] as const) {
    const { status, body } = await run.ask('GET', path + end);
    add({ history: source, mode, name, sent: '', status, answer: body }, null);
  }
}

/** Members of the report that are others than in the answer; null where it lacks one. */
const changes = (report: Json, answer: Json): Json =>
  Object.fromEntries(
    [...new Set([...Object.keys(answer), ...Object.keys(report)])]
      .filter(key => !Bun.deepEquals(report[key], answer[key]))
      .map(key => [key, report[key] ?? null]),
  );

async function call(run: Program, source: string, step: Called, jobs: readonly (string | null)[]) {
  const text = step.body ? JSON.stringify(step.body(jobs)) : undefined;
  return { text: text ?? '', ...(await run.ask(step.method, source + step.path, text)) };
}

/** Plays all histories in both modes, without values stored and with them. */
export async function played(histories: readonly History[]): Promise<Entry[]> {
  const programs = MODES.map(mode => [new Program(mode, false), new Program(mode, true)] as const);
  const entries: Entry[] = [];
  for (const [i, history] of histories.entries()) {
    const begin = entries.length;
    for (const [hidden, shown] of programs) {
      const first = entries.length;
      await play(hidden, i, history, entry => entries.push(entry));
      // Some are enough: what is stored with values is the answer itself, and the profile is the same in both modes.
      if (i % (hidden.mode === 'contract' ? 4 : 8) !== 0) continue;
      let at = first;
      await play(shown, i, history, (entry, stored) => {
        const beside = entries[at++]!;
        if (stored) compareStored(entry, stored);
        if (stored && entry.mode === 'contract') beside.profile = stored.profile;
      });
    }
    leaveOutProfiles(entries.slice(begin));
  }
  return entries;
}

/** Of a history: those of adaptive mode, which must be the same. */
function leaveOutProfiles(entries: readonly Entry[]): void {
  const { contract = [], adaptive = [] } = Object.groupBy(entries, ({ mode }) => mode);
  for (const [i, { history, name, kept }] of adaptive.entries()) {
    if (!kept) continue;
    if (!Bun.deepEquals(kept.profile, contract[i]!.kept?.profile))
      throw new Error(`${history}, ${name}: the job's profile is another in adaptive mode`);
    delete kept.profile;
  }
}

/** Where values are stored the job's report is the answer. */
function compareStored({ history, name, mode, answer }: Entry, { report }: Stored): void {
  if (!Bun.deepEquals(report, answer))
    throw new Error(`${history}, ${name}, ${mode}: the job's report is not the answer`);
}
