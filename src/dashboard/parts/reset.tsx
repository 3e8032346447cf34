/** Starting a source afresh, with confirmation. */
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
            Sluice forgets what <Name text={source} /> usually looks like. Its next batch makes a new
            baseline, and has nothing to drift from. Jobs, reports and settings stay, and a version of the
            baseline to go back to.
          </p>
        </Confirm>
      )}
    </>
  );
}
