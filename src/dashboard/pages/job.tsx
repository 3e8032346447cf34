/** One job and its whole report. */
import { job } from '../api.ts';
import { Page } from '../parts/page.tsx';
import { ReportView } from '../parts/report.tsx';
import { Teach } from '../parts/teach.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { addressOf, jobsOf } from '../route.ts';
import { useLoaded } from '../use-loaded.ts';

export function JobPage({ id }: { id: string }) {
  const [loaded, again] = useLoaded(signal => job(id, signal), [id]);
  return (
    <Page title="Report" above={<a href={addressOf(jobsOf(null))}>← Jobs</a>}>
      <Waiting what="the report" loaded={loaded} again={again} rows={10}>
        {({ report, profile }) => (
          <>
            <Teach report={report} />
            <ReportView report={report} profile={profile} />
          </>
        )}
      </Waiting>
    </Page>
  );
}
