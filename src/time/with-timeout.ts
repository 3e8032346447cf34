/** Limits a wait. The work itself continues in the background; nobody gets its result. */

/** Waits for the work, `ms` at most. Throws the error of `late` after that. */
export async function withTimeout<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    // The race also handles a rejection after the limit.
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
