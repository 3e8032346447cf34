/** What has to be done in the end though its store is away now: what a request had done before it failed is taken back. */
import { Rejection } from '../errors.ts';

/** How long a caller waits, who has an answer to give. */
const WAIT_MS = 250;
const AGAIN_MS = 250;
/** What could not be done in this time is left as by a process that was killed. */
export const LASTING_MS = 60_000;

/**
 * Does it, and when its store is away goes on trying behind the caller's back, as long as `mayRepeat` of what was thrown: by
 * default it may happen more than once. Resolves when it is done, or may take longer than an answer can wait; throws what the
 * first try threw.
 */
export async function lasting(
  run: () => Promise<unknown>,
  mayRepeat: (error: Rejection) => boolean = () => true,
): Promise<void> {
  const first = run();
  const again = (error: unknown) => persistently(run, error, mayRepeat);
  first.catch(again).catch(() => {});
  const { promise: soon, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, WAIT_MS);
  await Promise.race([first, soon]).finally(() => clearTimeout(timer));
}

async function persistently(
  run: () => Promise<unknown>,
  first: unknown,
  mayRepeat: (error: Rejection) => boolean,
): Promise<void> {
  const until = Date.now() + LASTING_MS;
  for (let error = first; error instanceof Rejection && mayRepeat(error) && Date.now() < until; ) {
    await Bun.sleep(AGAIN_MS);
    error = await run().then(
      () => null,
      (thrown: unknown) => thrown,
    );
  }
}
