/** The settings of a source, advice, and what people changed. */
import { useEffect, useRef } from 'preact/hooks';
import { baseline, setPinned, settings, sourceChanges, versions } from '../../api.ts';
import type { Baseline } from '../../contract.ts';
import { addressOf } from '../../route.ts';
import { useAction } from '../../use-action.ts';
import { useLoaded } from '../../use-loaded.ts';
import { plural } from '../../../terms/wording.ts';
import { dateTime } from '../../times.ts';
import { AdviceList } from './advice.tsx';
import { FailureNote } from '../frame/failure.tsx';
import { Panel } from '../frame/panel.tsx';
import { SettingsForm } from './settings-form.tsx';
import { SourceHistory } from './source-history.tsx';
import { WhenLoaded } from '../frame/when-loaded.tsx';

interface Props {
  source: string;
  /** Loads again when this number changes. */
  changes: number;
  report: (message: string) => void;
  /** Whether the address leads here: it is scrolled to when it is loaded. */
  isSought: boolean;
}

export function Judging({ source, changes, report, isSought }: Props) {
  const here = useRef<HTMLDivElement>(null);
  const [loaded, again] = useLoaded(
    async signal => ({
      current: await settings(source, signal),
      known: await baseline(source, signal),
      kept: await versions(source, signal),
      past: await sourceChanges(source, signal),
    }),
    [source, changes],
  );
  useEffect(() => {
    if (isSought && loaded.state === 'ready') here.current?.scrollIntoView();
  }, [isSought, loaded.state]);
  const done = (message: string) => {
    report(message);
    again();
  };
  return (
    <Panel title="How it is judged">
      <WhenLoaded what="how the source is judged" loaded={loaded} again={again}>
        {({ current, known, kept, past }) => (
          <div ref={here} class="judging">
            {known?.blocked_since && <Blocked run={known.blocked_since} />}
            <AdviceList source={source} advice={known?.advice ?? []} done={done} />
            <SettingsForm key={JSON.stringify(current)} settings={current} done={done} />
            {known && <Pin source={source} isPinned={known.pinned} done={done} />}
            <SourceHistory source={source} versions={kept} changes={past} done={done} />
          </div>
        )}
      </WhenLoaded>
    </Panel>
  );
}

const Blocked = ({ run }: { run: NonNullable<Baseline['blocked_since']> }) => (
  <p class="note block">
    The same field differs in {plural(run.batches, 'batch', 'batches')} since{' '}
    <a href={addressOf({ page: 'job', id: run.job_id })}>{dateTime(run.timestamp)}</a>. If this is the new
    normal of the source, accept{' '}
    <a href={addressOf({ page: 'job', id: run.last_job_id })}>the newest of them</a>.
  </p>
);

interface PinProps {
  source: string;
  isPinned: boolean;
  done: (message: string) => void;
}

function Pin({ source, isPinned, done }: PinProps) {
  const { isActing, failure, run } = useAction();
  const toggle = () =>
    run(async () => {
      await setPinned(source, !isPinned);
      done(isPinned ? 'The baseline learns again.' : 'The baseline is pinned: it no longer learns.');
    });
  return (
    <div class="line">
      <p>
        {isPinned
          ? 'The baseline is pinned: it does not learn.'
          : 'The baseline learns from every batch that is not BLOCKed.'}
      </p>
      <button type="button" disabled={isActing} onClick={toggle}>
        {isPinned ? 'Unpin' : 'Pin'}
      </button>
      {failure && <FailureNote failure={failure} />}
    </div>
  );
}
