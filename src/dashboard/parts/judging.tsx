/** How a source is judged, what is advised, and the versions of its baseline. */
import { baseline, settings, setPinned, versions } from '../api.ts';
import type { Baseline } from '../contract.ts';
import { addressOf } from '../route.ts';
import { useAction } from '../use-action.ts';
import { useLoaded } from '../use-loaded.ts';
import { plural } from '../../wording.ts';
import { dateTime } from '../times.ts';
import { AdviceList } from './advice.tsx';
import { FailureNote } from './failure.tsx';
import { Panel } from './panel.tsx';
import { SettingsForm } from './settings-form.tsx';
import { VersionList } from './version-list.tsx';
import { Waiting } from './waiting.tsx';

interface Props {
  source: string;
  /** Another number makes it load again. */
  changes: number;
  said: (words: string) => void;
}

export function Judging({ source, changes, said }: Props) {
  const [loaded, again] = useLoaded(
    async signal => ({
      set: await settings(source, signal),
      standing: await baseline(source, signal),
      kept: await versions(source, signal),
    }),
    [source, changes],
  );
  const done = (words: string) => {
    said(words);
    again();
  };
  return (
    <Panel title="How it is judged">
      <Waiting what="how the source is judged" loaded={loaded} again={again}>
        {({ set, standing, kept }) => (
          <div class="judging">
            {standing?.blocked_since && <Blocked run={standing.blocked_since} />}
            <AdviceList source={source} advice={standing?.advice ?? []} set={set} done={done} />
            <SettingsForm key={JSON.stringify(set)} source={source} settings={set} done={done} />
            {standing && <Pin source={source} isPinned={standing.pinned} done={done} />}
            <VersionList source={source} versions={kept} done={done} />
          </div>
        )}
      </Waiting>
    </Panel>
  );
}

const Blocked = ({ run }: { run: NonNullable<Baseline['blocked_since']> }) => (
  <p class="note block">
    {plural(run.batches, 'batch has', 'batches have')} been BLOCKed one after the other since{' '}
    <a href={addressOf({ page: 'job', id: run.job_id })}>{dateTime(run.timestamp)}</a>. If this is how the
    source is from now on, accept{' '}
    <a href={addressOf({ page: 'job', id: run.last_job_id })}>the newest of them</a>.
  </p>
);

interface PinProps {
  source: string;
  isPinned: boolean;
  done: (words: string) => void;
}

function Pin({ source, isPinned, done }: PinProps) {
  const { isActing, failure, run } = useAction();
  const turn = () =>
    run(async () => {
      await setPinned(source, !isPinned);
      done(isPinned ? 'The baseline learns again.' : 'The baseline is pinned: it stays as it is.');
    });
  return (
    <div class="line">
      <p>
        {isPinned
          ? 'The baseline is pinned: it learns nothing.'
          : 'The baseline learns from every batch that is not BLOCKed.'}
      </p>
      <button type="button" disabled={isActing} onClick={turn}>
        {isPinned ? 'Unpin' : 'Pin'}
      </button>
      {failure && <FailureNote failure={failure} />}
    </div>
  );
}
