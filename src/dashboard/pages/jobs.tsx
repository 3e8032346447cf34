/** The account's jobs, newest first, by source, verdict and day. New ones appear while the page is open. */
import { useState } from 'preact/hooks';
import { statistics } from '../api.ts';
import type { Verdict } from '../contract.ts';
import { NoBatches } from '../parts/frame/empty.tsx';
import { FailureNote } from '../parts/frame/failure.tsx';
import { Choice } from '../parts/controls/fields.tsx';
import { JobSearch, sourcesLike } from '../parts/jobs/job-search.tsx';
import { JobsTable } from '../parts/jobs/jobs-table.tsx';
import { Loading } from '../parts/frame/loading.tsx';
import { Name } from '../parts/values/name.tsx';
import { Page } from '../parts/frame/page.tsx';
import { Panel } from '../parts/frame/panel.tsx';
import { addressOf, type JobFilter, jobsOf } from '../route.ts';
import { useJobs } from '../use-jobs.ts';
import { useLoaded } from '../use-loaded.ts';
import { go, replace } from '../use-route.ts';
import { VERDICTS } from '../../terms/verdict.ts';
import { grouped, plural } from '../../terms/wording.ts';

export function Jobs({ filter }: { filter: JobFilter }) {
  const [isLive, setLive] = useState(true);
  const [loaded] = useLoaded(signal => statistics(365, signal), []);
  const sources = loaded.value?.sources.map(({ source }) => source) ?? [];
  const { found, isAll, isLoading, failure, waiting, isStale, more, showNew } = useJobs(filter, isLive);
  return (
    <Page title="Jobs" actions={<Filters filter={filter} sources={sources} />}>
      <div class="live">
        <label class="check">
          <input
            type="checkbox"
            checked={isLive}
            onChange={({ currentTarget }) => setLive(currentTarget.checked)}
          />
          Show new jobs as they come
        </label>
        <span role="status">{isLive && isStale && 'The server does not answer: the list may be old.'}</span>
        {waiting > 0 && (
          <button type="button" class="new-jobs" onClick={showNew}>
            Show {plural(waiting, 'new job')}
          </button>
        )}
      </div>
      {found.length > 0 && (
        <Panel
          title={isAll ? plural(found.length, 'job') : `The newest ${grouped(found.length)} jobs`}
          isFlush
        >
          <JobsTable jobs={found} label="Jobs, newest first" />
        </Panel>
      )}
      {isLoading && <Loading what="jobs" rows={8} />}
      {failure && <FailureNote failure={failure} again={more} />}
      {!isLoading && !failure && found.length === 0 && <NothingFound filter={filter} sources={sources} />}
      {!isAll && !isLoading && !failure && (
        <button type="button" class="more" onClick={more}>
          Show older jobs
        </button>
      )}
    </Page>
  );
}

interface FilterProps {
  filter: JobFilter;
  sources: readonly string[];
}

const MAX_SUGGESTED = 10;

function NothingFound({ filter, sources }: FilterProps) {
  const { source, status, from, to } = filter;
  if (source === null && status === null && from === null && to === null)
    return <NoBatches title="No batches yet" />;
  const similar = source === null ? [] : sourcesLike(sources, source).filter(name => name !== source);
  return (
    <div class="empty">
      <p>
        {from !== null && to !== null && from > to
          ? 'The first day is after the last one. '
          : 'No job matches. '}
        <a href={addressOf(jobsOf(null))}>Show all jobs</a>
      </p>
      {similar.length > 0 && (
        <ul aria-label="Sources with a similar name" class="suggested">
          {similar.slice(0, MAX_SUGGESTED).map(name => (
            <li key={name}>
              <a href={addressOf(jobsOf(name, { status, from, to }))}>
                <Name text={name} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Filters({ filter, sources }: FilterProps) {
  const { source, status } = filter;
  const changed = (part: Partial<JobFilter>) => jobsOf(source, { ...filter, ...part });
  const day = (name: 'from' | 'to', label: string) => (
    <label class="inline">
      {label}
      <input
        type="date"
        value={filter[name] ?? ''}
        // Each digit of a year that is typed is a change, and should be no page to go back to.
        onChange={({ currentTarget }) => replace(changed({ [name]: currentTarget.value || null }))}
      />
    </label>
  );
  return (
    <>
      <JobSearch source={source} sources={sources} choose={name => go(jobsOf(name, filter))} />
      <Choice<Verdict | ''>
        name="Verdict"
        value={status ?? ''}
        values={[['', 'Any'], ...VERDICTS.map(each => [each, each] as const)]}
        change={verdict => go(changed({ status: verdict || null }))}
      />
      {day('from', 'From')}
      {day('to', 'To')}
    </>
  );
}
