/** The forms of `--output`, and what writes them. */
import { type Failure, OutputFailure } from '../failure.ts';
import type { FileResult } from '../screening/named-batch.ts';
import type { Terminal } from '../terminal.ts';
import { githubForm } from './github.ts';
import { htmlForm } from '../../rendering/html.ts';
import { FileTerminal } from './file-terminal.ts';
import { JsonResults } from './json.ts';
import { junitForm } from './junit.ts';
import { markdownForm } from '../../rendering/markdown.ts';
import type { FailOn, Form, Output, RunResult } from './output.ts';
import { type RunCommand, textForm } from './text.ts';

export const OUTPUTS = ['text', 'json', 'junit', 'github', 'markdown', 'html'] as const;
export type OutputName = (typeof OUTPUTS)[number];

interface OutputSettings {
  name: OutputName;
  /** The command that runs: hints in the text name its options. */
  command: RunCommand;
  hasSeveralFiles: boolean;
  failOn: FailOn;
}

const FORMS: Record<Exclude<OutputName, 'json'>, (settings: OutputSettings, terminal: Terminal) => Form> = {
  text: ({ command }, terminal) => textForm(terminal, command),
  junit: ({ failOn }) => junitForm(failOn),
  github: githubForm,
  markdown: () => markdownForm(),
  html: () => htmlForm(),
};

/** A form, and where it goes. */
export interface Destination {
  format: OutputName;
  /** Absent: standard output. */
  file?: string | undefined;
}

/** All outputs of one run as one. Throws `Failure` for a file that cannot be written. */
export function outputsOf(
  destinations: readonly Destination[],
  settings: Omit<OutputSettings, 'name'>,
  { terminal, isQuiet }: { terminal: Terminal; isQuiet: boolean },
): Output {
  const open = new Set(
    destinations
      .filter(({ file }) => file !== undefined || !isQuiet)
      .map(({ format: name, file }) =>
        outputOf({ name, ...settings }, file === undefined ? terminal : new FileTerminal(file)),
      ),
  );
  // One that fails gets nothing more, and the others get what it did not.
  const all = async (tell: (output: Output) => Promise<void>) => {
    let failure: OutputFailure | null = null;
    for (const output of [...open]) {
      try {
        await tell(output);
      } catch (error) {
        if (!(error instanceof OutputFailure)) throw error;
        open.delete(output);
        failure ??= error;
      }
    }
    if (failure !== null) throw failure;
  };
  return {
    result: result => all(output => output.result(result)),
    failure: failure => all(output => output.failure(failure)),
    end: run => all(output => output.end(run)),
  };
}

function outputOf(settings: OutputSettings, terminal: Terminal): Output {
  const { name, hasSeveralFiles } = settings;
  const write = (text: string) => terminal.write(text);
  if (name === 'json') return new JsonResults(hasSeveralFiles, write);
  return new FormOutput(FORMS[name](settings, terminal), write);
}

class FormOutput implements Output {
  #hasBegun = false;

  constructor(
    readonly form: Form,
    readonly writeText: (text: string) => Promise<void>,
  ) {}

  result = (result: FileResult): Promise<void> => this.#write(this.form.file(result));

  failure = (failure: Failure): Promise<void> => this.#write(this.form.failure(failure));

  end = (run: RunResult): Promise<void> => this.#write(this.form.tail?.(run) ?? '');

  async #write(text: string): Promise<void> {
    const head = this.#hasBegun ? '' : (this.form.head?.() ?? '');
    this.#hasBegun = true;
    if (head + text !== '') await this.writeText(head + text);
  }
}
