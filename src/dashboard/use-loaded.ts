/** What a page waits for. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Failure } from './api.ts';

export type Loaded<Value> =
  | { state: 'loading'; value?: undefined }
  | { state: 'failed'; failure: Failure; value?: undefined }
  | { state: 'ready'; value: Value };

/**
 * Loads when `dependencies` change, and again on `reload`, which goes on showing what is there. An answer that is no
 * longer wanted is stopped.
 */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  dependencies: readonly unknown[],
): [loaded: Loaded<Value>, reload: () => void] {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ state: 'loading' });
  const [turn, setTurn] = useState(0);
  useEffect(() => setLoaded({ state: 'loading' }), dependencies);
  useEffect(() => {
    const stop = new AbortController();
    load(stop.signal).then(
      value => stop.signal.aborted || setLoaded({ state: 'ready', value }),
      error => stop.signal.aborted || setLoaded({ state: 'failed', failure: asFailure(error) }),
    );
    return () => stop.abort();
  }, [...dependencies, turn]);
  return [loaded, useCallback(() => setTurn(before => before + 1), [])];
}

/** What went wrong here, and not there, is a bug of this page: its words are all there is. */
export const asFailure = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure(`Something went wrong on this page: ${String(error)}`, 'PAGE', 0);
