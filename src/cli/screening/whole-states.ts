/** The states of all parts of a batch, judged as one batch. */
import { Format } from '../../../assembly/abi.ts';
import { checkSource } from '../../names/source.ts';
import { type MeasuredFor, type PartsState, printOf } from '../../states/bytes/state-bytes.ts';
import { parseOptions } from '../../options/options.ts';
import type { DeclaredRules } from '../../rules/declared/constraint.ts';
import type { State } from '../../states/state.ts';
import { RepeatedRows } from '../../states/repeated-rows.ts';
import { plural } from '../../terms/wording.ts';
import { Failure } from '../failure.ts';
import { formatOf } from '../input/format.ts';
import { mergedStates } from '../states/state-file.ts';
import type { Local } from './local.ts';
import { type Memory, PUBLIC_SALT } from './local-store.ts';
import { measuredForOf } from './measured-part.ts';
import type { FileResult, Typed } from './named-batch.ts';

export interface GivenStates {
  /** Shown in place of a file. */
  name: string;
  files: readonly string[];
  /** How many parts there must be; null: as many as there are. */
  parts: number | null;
}

/** One state after the other is in memory, and keys of rows as far as `RepeatedRows` keeps them there. Throws `Failure` and `Rejection`. */
export async function statesResult(
  { name, files, parts }: GivenStates,
  { source: typedSource, options }: Typed,
  { local, memory }: { local: Local; memory: Memory },
): Promise<FileResult> {
  const repeated = new RepeatedRows();
  try {
    const { state, measuredFor } = await mergedStates(files, each => withoutKeys(each, repeated));
    checkParts([...state.parts.keys()], parts);
    const source = sourceOf(measuredFor, typedSource);
    const batch = { source, options, format: formatOf(Format.NDJSON, 0, null) };
    const slices = await local.whole.begin(batch);
    const { generation } = slices.begin!.read.stored;
    const wanted = measuredForOf(memory.salt, options, { source, generation });
    checkMeasuredFor(measuredFor, wanted, memory);
    checkRules(state, parseOptions(options).rules ?? null);
    const repeats = repeated.finish(state);
    const { report, body } = await local.whole.screen(batch, slices, { state, repeats });
    return { file: name, report, body };
  } finally {
    repeated.close();
  }
}

function withoutKeys(state: PartsState, repeated: RepeatedRows): PartsState {
  for (const [part, slices] of state.keys)
    for (const { row, sets } of slices) repeated.add(sets, { part, row });
  return { ...state, keys: new Map() };
}

/** Throws `Failure` unless they are 0, 1, 2, … */
function checkParts(found: readonly number[], wanted: number | null): void {
  const count = wanted ?? Math.max(...found) + 1;
  const known = new Set(found);
  const beyond = found.find(part => part >= count);
  if (beyond !== undefined)
    throw new Failure(`Part ${beyond} is there, but --parts says ${count}: parts are numbered from 0`);
  if (known.size === count) return;
  let first = 0;
  while (known.has(first)) first++;
  const missing = count - known.size;
  throw new Failure(
    `Part ${first} is missing${missing === 1 ? '' : ` and ${plural(missing - 1, 'other')}`}, of ${plural(count, 'part')}: measure it, and number parts from 0`,
  );
}

function sourceOf({ source }: MeasuredFor, typed: string | undefined): string {
  if (typed !== undefined && source !== null && typed !== source)
    throw new Failure(
      `The states were measured for the source ${JSON.stringify(source)}, not for that of --source`,
    );
  const named = typed ?? source;
  if (named === null) throw new Failure('Name the pipeline or table of the states with --source');
  return checkSource(named, '--source');
}

/** `wanted`: for what they should have been measured. Throws `Failure`. */
function checkMeasuredFor(given: MeasuredFor, wanted: MeasuredFor, { baselines }: Memory): void {
  const isPublic = given.salt === printOf(PUBLIC_SALT);
  const hasPast = baselines !== null;
  if (!hasPast && !isPublic)
    throw new Failure('The states were measured for a file of baselines: name it with --baseline');
  if (hasPast && isPublic)
    throw new Failure(
      'The states were measured without --for, so they cannot be compared: measure all parts with --for and the file of --baseline',
    );
  if (hasPast && given.salt !== wanted.salt)
    throw new Failure(
      'The states were measured for another file of baselines: measure all parts with --for and the file of --baseline, or a copy of it',
    );
  if (hasPast && given.generation !== wanted.generation)
    throw new Failure(
      'The source was reset or created after the states were measured, so they cannot be compared: measure all parts again',
    );
  if (given.rules !== wanted.rules) throw otherRules();
}

/** Of a crafted state, the print of the rules may be right, and what it says of them not. Throws `Failure`. */
function checkRules({ rules }: State, checked: DeclaredRules | null): void {
  if ((rules?.length ?? 0) !== (checked?.constraints.length ?? 0)) throw otherRules();
}

const otherRules = () =>
  new Failure(
    'The parts were checked by other rules: give --rules the file that they were measured with, or measure them again',
  );
