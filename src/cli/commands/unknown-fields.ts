/** `--baseline` of `sluice rules`: says which names of rules no batch of the source had. */
import { existsSync } from 'node:fs';
import type { RulesDocument } from '../../rules/declared/document.ts';
import { Baselines } from '../../sources/baselines.ts';
import { escaped, quoted } from '../../terms/errors.ts';
import { plural } from '../../terms/wording.ts';
import { SourceTasks } from '../../threads/source-tasks.ts';
import { InlineThread } from '../../threads/thread.ts';
import { Threads } from '../../threads/threads.ts';
import { type Given, type Option, textIn } from '../command.ts';
import { Failure, failureOf } from '../failure.ts';
import { withBaseline } from '../screening/local.ts';
import { localAccount, memoryIn } from '../screening/local-store.ts';
import { SAMPLE_ROWS } from '../screening/open-engine.ts';
import type { Terminal } from '../terminal.ts';

export const BASELINE: Record<string, Option> = {
  baseline: {
    type: 'string',
    short: 'b',
    value: 'FILE',
    help: 'A file of baselines of sluice screen: says which fields of the rules no batch of the source had',
    choices: 'file',
  },
};

/** Does nothing without `--baseline`. Throws `Failure`. */
export async function tellUnknownFields(
  given: Given,
  source: string | undefined,
  rules: RulesDocument,
  terminal: Terminal,
): Promise<void> {
  const file = textIn(given, 'baseline');
  if (file === undefined) return;
  if (source === undefined) throw new Failure('--baseline needs the name of the source: --source NAME');
  const unknown = await unknownFields(file, source, rules);
  if (unknown.length === 0) return;
  const what = plural(unknown.length, 'field is', 'fields are');
  terminal.tell(
    escaped(`sluice: ${what} in the rules and in no batch of ${quoted(source)}: such rules check nothing`),
  );
  for (const { field, rules: paths, meant } of unknown)
    terminal.tell(
      escaped(
        `  ${quoted(field)} (${paths.join(', ')})${meant === undefined ? '' : `: is it ${quoted(meant)}?`}`,
      ),
    );
}

async function unknownFields(file: string, source: string, rules: RulesDocument) {
  if (!existsSync(file)) throw new Failure('There is no such file of baselines', file);
  const memory = memoryIn(file);
  try {
    const settings = { sampleRows: SAMPLE_ROWS, defaultMode: 'auto', storeValues: false } as const;
    const threads = new Threads(() => new InlineThread(new SourceTasks(settings)), 1);
    const baselines = new Baselines(memory.baselines, threads, console);
    return await withBaseline(source, () => baselines.unknownFields(localAccount(memory).id, source, rules));
  } catch (error) {
    throw failureOf(error, file) ?? error;
  } finally {
    memory.close();
  }
}
