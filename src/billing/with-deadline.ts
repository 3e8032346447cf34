/** Limits the wait for the payment provider. */
import { providerAway } from './payments.ts';

/** Waits for the work, `ms` at most; later the work continues in the background. Throws `Rejection` SERVICE_UNAVAILABLE. */
export async function withDeadline<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(providerAway()), ms);
  });
  // After the deadline nobody handles its rejection.
  work.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
