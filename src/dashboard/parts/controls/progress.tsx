/** The progress of an upload, then of the screening. */
import { percent } from '../../../terms/wording.ts';

export const Progress = ({ share, stop }: { share: number; stop: (() => void) | null }) => (
  <div class="progress">
    <label for="upload">{share < 1 ? `Uploading, ${percent(share)}` : 'Screening…'}</label>
    <progress id="upload" max={1} {...(share < 1 && { value: share })} />
    {stop && (
      <button type="button" onClick={stop}>
        Stop
      </button>
    )}
  </div>
);
