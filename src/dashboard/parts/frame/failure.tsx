/** An error message, with a button to try again. */
import type { Failure } from '../../api.ts';

export const FailureNote = ({ failure, again }: { failure: Failure; again?: () => void }) => (
  <div class="note block" role="alert">
    <p>{failure.message}</p>
    {again && (
      <button type="button" onClick={again}>
        Try again
      </button>
    )}
  </div>
);
