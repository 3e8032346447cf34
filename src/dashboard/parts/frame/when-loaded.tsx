/** Shows loaded data; a placeholder before, or the error instead. */
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../../use-loaded.ts';
import { FailureNote } from './failure.tsx';
import { Loading } from './loading.tsx';

interface Props<Value> {
  /** For screen readers: "Loading {what}". */
  what: string;
  loaded: Loaded<Value>;
  again: () => void;
  rows?: number;
  children: (value: Value) => ComponentChildren;
}

export function WhenLoaded<Value>({ what, loaded, again, rows = 4, children }: Props<Value>) {
  if (loaded.state === 'loading') return <Loading what={what} rows={rows} />;
  if (loaded.state === 'failed') return <FailureNote failure={loaded.failure} again={again} />;
  return <>{children(loaded.value)}</>;
}
