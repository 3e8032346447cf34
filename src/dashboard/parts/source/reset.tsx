/** Resets the baseline of a source, after a confirmation that names it. */
import { reset } from '../../api.ts';
import { Confirm } from '../controls/confirm.tsx';
import { Name, nameText } from '../values/name.tsx';

interface Props {
  source: string;
  done: () => void;
  close: () => void;
}

export const ResetDialog = ({ source, done, close }: Props) => (
  <Confirm
    title={`Reset the baseline of ${nameText(source, 64)}?`}
    verb="Reset baseline"
    act={() => reset(source)}
    done={done}
    close={close}
  >
    <p>
      Sluice deletes the baseline of <Name text={source} />. The next batch makes a new one. Jobs, reports and
      settings stay. You can go back: the old baseline is kept as a version.
    </p>
  </Confirm>
);
