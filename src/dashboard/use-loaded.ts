/** Loads data for a page. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Failure } from './api.ts';

export type Loaded<Value> =
  | { state: 'loading'; value?: undefined }
  | { state: 'failed'; failure: Failure; value?: undefined }
  | { state: 'ready'; value: Value };

/**
 * Loads when `dependencies` change, and again on `reload`, which keeps the old value until the new one is there. Aborts a request
 * whose answer is no longer needed.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): [loaded: Loaded<Value>, reload: () => void] {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ state: 'loading' });
  const [reloads, setReloads] = useState(0);
  useEffect(() => setLoaded({ state: 'loading' }), dependencies);
  useEffect(() => {
    const stop = new AbortController();
    load(stop.signal).then(
      value => stop.signal.aborted || setLoaded({ state: 'ready', value }),
      error => stop.signal.aborted || setLoaded({ state: 'failed', failure: asFailure(error) }),
    );
    return () => stop.abort();
  }, [...dependencies, reloads]);
  return [loaded, useCallback(() => setReloads(before => before + 1), [])];
}

/** Any other error is a bug of this page. */
export const asFailure = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure(`Something went wrong on this page: ${String(error)}`, 'PAGE', 0);
