/** The real program in a process of its own, on a free port and an empty folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf } from '../servers/program.ts';

export const KEY = `sluice_live_${'e2'.repeat(16)}`;

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'sluice-'));

/** No file may have more blocks of 512 bytes: what a full disk is to the program, without one. */
const limited = (fileBlocks: number) => [
  'sh',
  '-c',
  `trap '' XFSZ; ulimit -f ${fileBlocks}; exec "$@"`,
  'sh',
];

/** Only what is given is set: nothing of the environment of the tests reaches the program. */
function spawn(environment: Record<string, string>, fileBlocks: number | null = null) {
  const prefix = fileBlocks === null ? [] : limited(fileBlocks);
  const program = environment.SIGNAL_FILE === undefined ? 'service' : 'killable';
  return Bun.spawn([...prefix, ...commandOf(program)], {
    env: { PORT: '0', ...environment },
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

/** Starts the program, and does not wait until it serves. */
export function begin(environment: Record<string, string>, fileBlocks: number | null = null) {
  const child = spawn(environment, fileBlocks);
  const written = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const ended = written.then(async ([stdout, stderr]) => ({ code: await child.exited, stdout, stderr }));
  return { child, ended };
}

/** Runs the program to its end, for starts that fail. */
export const run = (environment: Record<string, string>, fileBlocks: number | null = null) =>
  begin(environment, fileBlocks).ended;

export class Server {
  output = '';
  url = '';
  port = 0;
  #moreOutput = Promise.withResolvers<void>();
  readonly #read: Promise<void>;

  private constructor(
    readonly child: ReturnType<typeof spawn>,
    readonly folder: string,
  ) {
    this.#read = this.#readOutput();
  }

  static async start(
    environment: Record<string, string> = {},
    folder = newFolder(),
    fileBlocks: number | null = null,
  ): Promise<Server> {
    const own = { DATA_DIR: folder, BOOTSTRAP_API_KEY: KEY, BOOTSTRAP_PLAN: 'scale' };
    const child = spawn({ ...own, ...environment }, fileBlocks);
    const server = new Server(child, folder);
    const [, url, port] = await server.prints(/"url":"(http:\/\/[^"]*:(\d+))"/);
    server.url = url!;
    server.port = Number(port);
    return server;
  }

  /** Waits until the output so far matches. Throws when the program ends before. */
  async prints(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found) return found;
      await this.#moreOutput.promise;
    }
  }

  post(body: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.url}/v1/screen`, {
      method: 'POST',
      body,
      headers: { 'X-API-Key': KEY, 'Content-Type': 'application/json', ...headers },
    });
  }

  async report(body: string): Promise<Record<string, unknown>> {
    const response = await this.post(body);
    if (response.status !== 200) throw new Error(await response.text());
    return (await response.json()) as Record<string, unknown>;
  }

  /** Sends a signal and gives the exit code. */
  async kill(signal: NodeJS.Signals): Promise<number> {
    this.child.kill(signal);
    const code = await this.child.exited;
    await this.#read;
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #readOutput(): Promise<void> {
    for await (const bytes of this.child.stdout) {
      this.output += new TextDecoder().decode(bytes);
      this.#tell();
    }
    const errors = await new Response(this.child.stderr).text();
    this.#moreOutput.reject(new Error(`the program has ended: ${this.output}${errors}`));
    this.#moreOutput.promise.catch(() => {});
  }

  #tell(): void {
    this.#moreOutput.resolve();
    this.#moreOutput = Promise.withResolvers();
  }
}
