/**
 * Output as JSON: the report of a single file as it is, or `{"results": [ … ], "status": …}` for several. Results are written as
 * they come, so any number of files takes little memory. After an error the output is still one valid JSON text.
 */
import type { Failure } from '../failure.ts';
import type { FileResult } from '../screening/named-batch.ts';
import type { Output, RunResult } from './output.ts';

export class JsonResults implements Output {
  /** The first result, until it is clear whether there are others. */
  #first: FileResult | null = null;
  #isOpen = false;
  #count = 0;
  #errors: { file: string | null; line: number | null; message: string }[] = [];

  constructor(
    readonly hasSeveralFiles: boolean,
    readonly write: (text: string) => Promise<void>,
  ) {}

  async result(result: FileResult): Promise<void> {
    if (!this.#isOpen && !this.hasSeveralFiles) {
      this.#first = result;
      return;
    }
    await this.#open();
    const { file, report } = result;
    const separator = this.#count++ === 0 ? '\n' : ',\n';
    await this.write(`${separator}${JSON.stringify({ file, ...report })}`);
  }

  async failure({ file, line, message }: Failure): Promise<void> {
    this.#errors.push({ file, line, message });
    await this.#open();
  }

  async end({ worst: status }: RunResult): Promise<void> {
    if (this.#first) return this.write(`${this.#first.body}\n`);
    const errors = this.#errors.length > 0 ? { errors: this.#errors } : {};
    await this.write(`\n],${JSON.stringify({ status, ...errors }).slice(1)}\n`);
  }

  async #open(): Promise<void> {
    if (this.#isOpen) return;
    this.#isOpen = true;
    await this.write('{"results":[');
  }
}
