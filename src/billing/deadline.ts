/** A limit to how long anybody waits for the payment provider. */
import { providerAway } from './payments.ts';

/** What the work comes to, if it does within `ms`; it goes on when it does not. Throws `Rejection` SERVICE_UNAVAILABLE. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(providerAway()), ms);
  });
  // Nobody may be left to hear that it failed.
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
