/** One job and its whole report. */
import { acceptedIn } from '../../rendering/acceptance.ts';
import { job } from '../api.ts';
import { Page } from '../parts/frame/page.tsx';
import { ReportView } from '../parts/report/report.tsx';
import { Feedback } from '../parts/report/feedback.tsx';
import { Said } from '../parts/report/said.tsx';
import { Share } from '../parts/report/share.tsx';
import { WhenLoaded } from '../parts/frame/when-loaded.tsx';
import { addressOf, jobsOf } from '../route.ts';
import { useLoaded } from '../use-loaded.ts';

export function JobPage({ id }: { id: string }) {
  const [loaded, again] = useLoaded(signal => job(id, signal), [id]);
  return (
    <Page title="Report" above={<a href={addressOf(jobsOf(null))}>← Jobs</a>}>
      <WhenLoaded what="the report" loaded={loaded} again={again} rows={10}>
        {({ report, profile, feedback = [] }) => (
          <>
            <Said feedback={feedback} />
            <ReportView
              report={report}
              profile={profile}
              feedback={feedback}
              steps={
                <>
                  <Feedback report={report} feedback={feedback} done={again} />
                  <Share report={report} accepted={acceptedIn(feedback)} />
                </>
              }
            />
          </>
        )}
      </WhenLoaded>
    </Page>
  );
}
