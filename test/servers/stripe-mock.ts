/** Stripe's own mock: it checks requests against Stripe's API description and answers with that description's examples. */
import { asChild } from './binaries.ts';
import { goProgram } from './go.ts';
import { freePort, newFolder, ServerProcess } from './process.ts';

export const stripeMockProgram = (): string | null => goProgram('github.com/stripe/stripe-mock', 'v0.203.0');

export class StripeMock {
  private constructor(
    readonly process: ServerProcess,
    readonly url: string,
  ) {}

  static async start(program: string): Promise<StripeMock> {
    const port = await freePort();
    const command = asChild([program, '-http-addr', `127.0.0.1:${port}`], null);
    const mock = new StripeMock(
      new ServerProcess(command, newFolder('stripe-mock'), 'SIGTERM'),
      `http://127.0.0.1:${port}`,
    );
    mock.process.start();
    // It reads its description first, which takes a second or two.
    await mock.process.answers(() => fetch(mock.url));
    return mock;
  }

  /** An object as the API answers it to a GET. */
  async get(path: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.url}${path}`, { headers: { Authorization: 'Bearer sk_test_123' } });
    return (await response.json()) as Record<string, unknown>;
  }
}
