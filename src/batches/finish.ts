/** All parts of a batch are there: they are judged as one. */
import { createHash, randomUUID } from 'node:crypto';
import type { Response200 } from '../report/response.ts';
import { type Batch, repeated, type Screened, screen } from '../screen/screen.ts';
import { StageClock } from '../screen/stages.ts';
import type { State } from '../states/state.ts';
import type { Account, StoredBatch } from '../stores/ports.ts';
import { IdempotencyConflict, quoted, Rejection } from '../terms/errors.ts';
import { plural } from '../terms/wording.ts';
import { checkIsOpen, keptBatch, namedOf } from './batch.ts';
import { decodeBegun } from './begun.ts';
import type { DeclaredRules } from '../rules/declared/constraint.ts';
import { beginOf, rulesOf, withRulesOf } from './body.ts';
import type { PartsDependencies, WindowDependencies } from './dependencies.ts';
import { NO_BODY } from './held-in-part.ts';
import { type HeldReasons, wholeQuarantine } from './held-reasons.ts';

export interface Finishing {
  account: Account;
  isPerson: boolean;
  /** Of the batch. */
  id: string;
  /** How many parts it has. */
  parts: number;
  clock: StageClock;
}

/** The answer over all rows; the stored one if the batch is finished. Throws `Rejection`. */
export async function finishBatch(finishing: Finishing, deps: PartsDependencies): Promise<Screened> {
  const { account, id, parts } = finishing;
  const batch = await keptBatch(account, id, deps);
  if (batch.status === 'finished') return repeated(JSON.parse(batch.answer!) as Response200);
  if (batch.status !== 'finishing') checkIsOpen(batch);
  if (!(await deps.batches.beginFinish(id, parts))) throw await notComplete(batch, parts, deps);
  try {
    const screened = await screenParts(finishing, batch, deps);
    const { body, headers } = screened;
    await deps.batches.finish(id, screened.report.request_id, JSON.stringify({ headers, body }));
    return screened;
  } catch (error) {
    if (error instanceof IdempotencyConflict) throw conflictOf(error, id);
    // What is not known to have failed may be done: another `finish` finds out.
    const hasFailed = error instanceof Rejection && error.code !== 'SERVICE_UNAVAILABLE';
    if (hasFailed) await deps.batches.reopen(id);
    throw error;
  }
}

/** In words of the batch: the client has sent no key. */
function conflictOf({ why, headers }: IdempotencyConflict, id: string): IdempotencyConflict {
  const said = {
    running: `Another request is finishing the batch ${quoted(id)}: ask again in a moment`,
    'other request': `The batch ${quoted(id)} was judged with other parts: open another one for these`,
    deleted: `The batch ${quoted(id)} was judged, and its report is deleted to make room for newer ones`,
  };
  return new IdempotencyConflict(why, said[why], headers);
}

async function notComplete({ id }: StoredBatch, parts: number, deps: PartsDependencies): Promise<Rejection> {
  const there = (await deps.batches.parts(id)).map(({ part }) => part);
  const beyond = there.filter(part => part >= parts);
  if (beyond.length > 0)
    return new Rejection(
      'PART_CONFLICT',
      `The batch has a part ${beyond[0]}, so it has more than ${plural(parts, 'part')}, which are numbered from 0`,
    );
  const known = new Set(there);
  const missing = Array.from({ length: parts }, (_, part) => part).filter(part => !known.has(part));
  if (missing.length === 0)
    return new Rejection('SERVICE_UNAVAILABLE', 'The batch changed meanwhile: ask again', {
      'Retry-After': '1',
    });
  return new Rejection('PARTS_MISSING', `Not all parts are there; missing: ${rangesOf(missing)}`);
}

/** Ranges of a list. */
const MOST_RANGES = 50;

/** `0, 3 to 9` */
function rangesOf(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  const words = ranges
    .slice(0, MOST_RANGES)
    .map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`));
  return `${words.join(', ')}${ranges.length > MOST_RANGES ? ', …' : ''}`;
}

/** A window is judged, with all posts that it has. Once, whoever asks: does nothing if it has been. Throws `Rejection`. */
export async function finishWindow(account: Account, id: string, deps: WindowDependencies): Promise<void> {
  const batch = await deps.batches.find(account.id, id);
  if (!batch?.window || batch.status !== 'open') return;
  if (batch.window.rows === 0) return deps.windows.drop(id);
  const finishing = { account, isPerson: false, id, clock: new StageClock(), isCounted: true };
  const { report } = await screenParts(finishing, batch, deps);
  await deps.windows.finish(id, report.request_id);
}

async function screenParts(
  { account, isPerson, id, clock, isCounted }: Omit<Finishing, 'parts'> & { isCounted?: boolean },
  batch: StoredBatch,
  deps: PartsDependencies,
): Promise<Screened> {
  const begin = beginOf(account, namedOf(batch), decodeBegun(batch.begun), batch.createdAt);
  const named = withRulesOf(begin, namedOf(batch));
  const state = await assembledState(id, rulesOf(begin), deps);
  const parts = await deps.batches.parts(id);
  const sha256 = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  const asked: Batch = {
    ...{ account, isPerson, named, state, clock, ...(isCounted && { isCounted }) },
    ...{ contentType: NO_BODY.contentType, upload: NO_BODY.newUpload() },
    quarantine: async findings => {
      const held = (await deps.batches.reasons(id)).map(each => JSON.parse(each) as HeldReasons);
      return wholeQuarantine(findings, held);
    },
    // No key of a client has a space.
    keyed: { key: `batch ${id}`, hash: { update() {}, digest: () => sha256 } },
  };
  return screen(asked, deps);
}

async function assembledState(
  id: string,
  rules: DeclaredRules | null,
  deps: PartsDependencies,
): Promise<State> {
  const assembly = deps.assembler.begin(randomUUID());
  try {
    const numbers = await deps.batches.stateNumbers(id);
    if (numbers.length === 0)
      throw new Rejection('INVALID_ROWS', 'No part of the batch has a row: at least one is needed');
    for (const number of numbers) {
      const state = await deps.batches.state(id, number);
      // No state is merged with others while a batch is finished.
      if (state === null)
        throw new Rejection('SERVICE_UNAVAILABLE', 'The states of the batch are being merged: ask again', {
          'Retry-After': '1',
        });
      await assembly.addStoredState(state);
    }
    for (let after = ''; ; ) {
      const read = await deps.batches.keys(id, after);
      if (read.length === 0) break;
      for (const { part, bytes } of read) await assembly.addStoredKeys(part, bytes);
      after = read.at(-1)!.place;
    }
    return await assembly.whole(null, rules);
  } finally {
    assembly.end();
  }
}
