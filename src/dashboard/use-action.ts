/** The action of a button or a form: its state and its error. */
import { useState } from 'preact/hooks';
import type { Failure } from './api.ts';
import { asFailure } from './use-loaded.ts';

export interface Action {
  isActing: boolean;
  failure: Failure | null;
  /** Whether it succeeded. */
  run: (act: () => Promise<void>) => Promise<boolean>;
}

export function useAction(): Action {
  const [isActing, setActing] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const run = async (act: () => Promise<void>) => {
    setActing(true);
    setFailure(null);
    try {
      await act();
      return true;
    } catch (error) {
      setFailure(asFailure(error));
      return false;
    } finally {
      setActing(false);
    }
  };
  return { isActing, failure, run };
}
