/** Resets the baseline of a source after a confirmation. */
import { useState } from 'preact/hooks';
import { reset } from '../api.ts';
import { Confirm } from './confirm.tsx';
import { Name } from './name.tsx';

export function ResetButton({ source, done }: { source: string; done: () => void }) {
  const [isAsking, setAsking] = useState(false);
  const finish = () => {
    setAsking(false);
    done();
  };
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Reset baseline
      </button>
      {isAsking && (
        <Confirm
          title="Reset this baseline?"
          verb="Reset baseline"
          act={() => reset(source)}
          done={finish}
          close={() => setAsking(false)}
        >
          <p>
            Sluice deletes the baseline of <Name text={source} />. The next batch makes a new one. Jobs,
            reports and settings stay. You can go back: the old baseline is kept as a version.
          </p>
        </Confirm>
      )}
    </>
  );
}
