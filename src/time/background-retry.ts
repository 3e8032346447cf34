/** Retries an operation in the background while its store is unavailable. Compensation of failed requests uses it. */
import { Rejection } from '../terms/errors.ts';

/** How long the caller waits: it has a response to send. */
const WAIT_MS = 250;
export const RETRY_EVERY_MS = 250;
/** After this time it gives up. The data is then as after a killed process. */
export const RETRY_FOR_MS = 60_000;

/**
 * Runs the operation. If its store is unavailable, retries in the background while `mayRetry` accepts the error. By default
 * the operation may run more than once. Resolves when it is done or takes longer than a response can wait; throws the error
 * of the first attempt.
 */
export async function retryInBackground(
  run: () => Promise<unknown>,
  mayRetry: (error: Rejection) => boolean = () => true,
): Promise<void> {
  const first = run();
  const retry = (error: unknown) => retryUntilDone(run, error, mayRetry);
  first.catch(retry).catch(() => {});
  const { promise: waited, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, WAIT_MS);
  await Promise.race([first, waited]).finally(() => clearTimeout(timer));
}

async function retryUntilDone(
  run: () => Promise<unknown>,
  firstError: unknown,
  mayRetry: (error: Rejection) => boolean,
): Promise<void> {
  const until = Date.now() + RETRY_FOR_MS;
  for (let error = firstError; error instanceof Rejection && mayRetry(error) && Date.now() < until; ) {
    await Bun.sleep(RETRY_EVERY_MS);
    error = await run().then(
      () => null,
      (thrown: unknown) => thrown,
    );
  }
}
