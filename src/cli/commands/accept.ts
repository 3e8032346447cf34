/** `sluice accept`: makes the last BLOCKed batch of a source its new normal, as `POST /v1/schema/{source}/accept` does. */
import { existsSync } from 'node:fs';
import { Baselines } from '../../sources/baselines.ts';
import { BaselineEditor } from '../../sources/editor.ts';
import type { Advice, Report } from '../../report-schema/report.ts';
import { escaped, quoted } from '../../terms/errors.ts';
import { acceptBatch } from '../../sources/feedback.ts';
import { UNBOUNDED } from '../../stores/ports.ts';
import { plural, quotedList } from '../../terms/wording.ts';
import { type Command, EXIT, type Given, textIn } from '../command.ts';
import { Failure, failureOf } from '../failure.ts';
import { SourceTasks } from '../../threads/source-tasks.ts';
import { InlineThread } from '../../threads/thread.ts';
import { Threads } from '../../threads/threads.ts';
import { SAMPLE_ROWS } from '../screening/open-engine.ts';
import { withBaseline } from '../screening/local.ts';
import {
  type BlockedBatch,
  localAccount,
  type Memory,
  memoryIn,
  type StoredMemory,
} from '../screening/local-store.ts';
import type { Terminal } from '../terminal.ts';

/** Sources that an error lists. */
const LISTED = 10;

export const acceptCommand: Command = {
  name: 'accept',
  summary: 'make the last BLOCKed batch of a source its new normal',
  words: '',
  about: [
    'For a batch that sluice screen or sluice check blocked although it is right: batches like it pass from now on. The fields that',
    'differed start over with it. Thresholds and rules stay: what still crosses them is said. A dry run cannot be accepted.',
  ],
  options: {
    baseline: {
      type: 'string',
      short: 'b',
      value: 'FILE',
      help: 'The file of --baseline of sluice screen, or of baseline in sluice.yaml',
      choices: 'file',
    },
    source: {
      type: 'string',
      short: 's',
      value: 'NAME',
      help: 'Name of the source; needed if several have a BLOCKed batch',
    },
  },
  examples: [
    [
      'sluice accept --baseline ~/.sluice.sqlite --source orders',
      'Orders are as in the last file from now on',
    ],
  ],
  run,
};

async function run(given: Given, terminal: Terminal): Promise<number> {
  if (given.words.length > 0)
    throw new Failure('This command takes no arguments: name the source with --source NAME');
  const file = textIn(given, 'baseline');
  if (file === undefined) throw new Failure('Name the file of baselines: --baseline FILE');
  if (!existsSync(file)) throw new Failure('There is no such file of baselines', file);
  const memory = memoryIn(file);
  try {
    const batch = blockedBatch(textIn(given, 'source'), memory);
    const report = JSON.parse(batch.document.report) as Report;
    const advice = await withBaseline(batch.job.source, () => accept(batch, report, memory));
    for (const line of linesOf(batch, report, advice)) await terminal.write(`${escaped(line)}\n`);
    return EXIT.pass;
  } catch (error) {
    throw failureOf(error, file) ?? error;
  } finally {
    memory.close();
  }
}

function blockedBatch(typed: string | undefined, { blocked }: Memory): BlockedBatch {
  const sources = blocked!.sources();
  const source = typed ?? sources[0];
  if (source === undefined) throw new Failure('No batch is BLOCKed here: there is nothing to accept');
  if (typed === undefined && sources.length > 1)
    throw new Failure(
      `Several sources have a BLOCKed batch: add --source with one of ${quotedList(sources, LISTED)}`,
    );
  const found = blocked!.find(source);
  if (found === null)
    throw new Failure(`No batch of ${quoted(source)} is BLOCKed: there is nothing to accept`);
  return found;
}

async function accept(batch: BlockedBatch, report: Report, memory: StoredMemory): Promise<Advice[]> {
  const { job } = batch;
  const { id: account } = localAccount(memory);
  const defaultMode = report.gate?.mode ?? 'contract';
  const settings = { sampleRows: SAMPLE_ROWS, defaultMode, storeValues: false };
  const threads = new Threads(() => new InlineThread(new SourceTasks(settings)), 1);
  const baselines = new Baselines(memory.baselines, threads, console);
  const reference = { account, source: job.source, job: job.id, bounds: UNBOUNDED, by: null, who: 'local' };
  const { advice } = await acceptBatch(
    { ...reference, at: Date.now() },
    {
      editor: new BaselineEditor(memory.baselines, baselines),
      baselines,
      jobs: {
        find: async () => batch,
        keptState: async () => batch.state ?? null,
        keepState: async () => {},
        feedback: async () => [],
        keepFeedback: async () => memory.blocked!.forget(job.source),
      },
      changes: { add: async () => {} },
      defaultMode,
    },
  );
  return advice;
}

function linesOf({ job }: BlockedBatch, report: Report, advice: readonly Advice[]): string[] {
  const rows = plural(job.rowsReceived, 'row');
  const violated = report.issues?.rule_violations?.some(({ severity }) => severity === 'block');
  return [
    `Accepted: the batch of ${quoted(job.source)} of ${new Date(job.createdAt).toISOString()}, ${rows}, is the normal now`,
    `  It was BLOCK: ${report.decision.reason}`,
    '  Its rows are not stored: screen the file again, and the new normal judges it',
    ...(violated ? ['  Declared rules still block such batches: if they are wrong, change them'] : []),
    ...(advice.length === 0
      ? []
      : [`  Such batches still cross a threshold. Screen them with ${settingsOf(advice)}`]),
  ];
}

/** As options of `sluice screen`. */
const settingsOf = (advice: readonly Advice[]): string =>
  advice
    .map(({ set: { mode, thresholds = {} } }) =>
      mode === undefined
        ? Object.entries(thresholds)
            .map(([name, rate]) => `--${name.replaceAll('_', '-')} ${rate}`)
            .join(' ')
        : `or --mode ${mode}`,
    )
    .join(' ');
