/** What people and programs changed at a source, and the versions of its baseline to go back to. */
import { useState } from 'preact/hooks';
import { grouped, plural } from '../../../terms/wording.ts';
import { rollBack } from '../../api.ts';
import type { SourceChange, Version } from '../../contract.ts';
import { addressOf } from '../../route.ts';
import { dateTime } from '../../times.ts';
import { Confirm } from '../controls/confirm.tsx';

interface Props {
  source: string;
  versions: readonly Version[];
  changes: readonly SourceChange[];
  done: (message: string) => void;
}

const ACTIONS: Record<SourceChange['action'], string> = {
  accepted: 'accepted a batch as the new normal',
  expected: 'called a batch expected',
  bad: 'called a batch bad',
  settings: 'changed the settings',
  rules: 'changed the rules',
  pinned: 'pinned the baseline',
  unpinned: 'unpinned the baseline',
  rolled_back: 'went back to a version',
  reset: 'reset the baseline',
};

interface Entry {
  at: string;
  change: SourceChange | null;
  /** The one to go back to. */
  version: Version | null;
}

/** Newest first. A version without a change was stored while the source learned, or by a release that noted no changes. */
function entriesOf(changes: readonly SourceChange[], versions: readonly Version[]): Entry[] {
  const byNumber = new Map(versions.map(version => [version.version, version]));
  const changed = changes.map(change => {
    const version = byNumber.get(change.version_before ?? 0) ?? null;
    byNumber.delete(change.version_before ?? 0);
    return { at: change.at, change, version };
  });
  const learned = Array.from(byNumber.values(), version => ({ at: version.made_at, change: null, version }));
  return [...changed, ...learned].sort((a, b) => (a.at < b.at ? 1 : -1));
}

export function SourceHistory({ source, versions, changes, done }: Props) {
  const [asked, setAsked] = useState<Version | null>(null);
  const entries = entriesOf(changes, versions);
  if (entries.length === 0) return null;
  return (
    <details class="settings">
      <summary>
        Who changed what: {plural(changes.length, 'change')}, {plural(versions.length, 'version')} to go back
        to
      </summary>
      <ul>
        {entries.map((entry, i) => (
          <li key={`${entry.at} ${i}`} class="line">
            <Line {...entry} />
            {entry.version && (
              <button type="button" onClick={() => setAsked(entry.version)}>
                {entry.change ? 'Go back to before' : 'Go back'}
                <span class="unseen">, version {grouped(entry.version.version)}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {asked && (
        <Confirm
          title={`Go back to version ${asked.version}?`}
          verb="Go back"
          act={() => rollBack(source, asked.version)}
          done={() => {
            setAsked(null);
            done(`The baseline is back at version ${asked.version}.`);
          }}
          close={() => setAsked(null)}
        >
          <p>
            It knows {plural(asked.batches, 'batch', 'batches')} with {plural(asked.rows, 'row')}. The
            baseline loses what it learned since then, and is kept as a version, so you can undo this.
          </p>
        </Confirm>
      )}
    </details>
  );
}

function Line({ at, change, version }: Entry) {
  const job = change?.job_id ?? version?.job_id;
  return (
    <span>
      {dateTime(at)}:{' '}
      {change ? (
        <>
          <bdi>{change.by}</bdi> {ACTIONS[change.action]}
          {change.detail && ` (${detailOf(change)})`}
        </>
      ) : (
        `version ${grouped(version!.version)} was stored ${version!.reason === 'learned' ? 'while learning' : 'before a change'}, with ${plural(version!.batches, 'batch', 'batches')}`
      )}
      {job && (
        <>
          , <a href={addressOf({ page: 'job', id: job })}>its report</a>
        </>
      )}
    </span>
  );
}

/** Names of settings without underscores, or the number of a version. */
const detailOf = ({ action, detail }: SourceChange): string =>
  action === 'settings' ? detail!.replaceAll('_', ' ') : `version ${detail}`;
