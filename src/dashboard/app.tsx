/** Shows the sign-in page, or the page of the address to users who are signed in. */
import { useEffect, useState } from 'preact/hooks';
import { Alerts } from './pages/alerts.tsx';
import { Billing } from './pages/billing.tsx';
import { JobPage } from './pages/job.tsx';
import { Jobs } from './pages/jobs.tsx';
import { Keys } from './pages/keys.tsx';
import { Overview } from './pages/overview.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { SourcePage } from './pages/source.tsx';
import { Sources } from './pages/sources.tsx';
import { Try } from './pages/try.tsx';
import { Unknown } from './pages/unknown.tsx';
import { Shell } from './parts/frame/shell.tsx';
import { addressOf, type Route } from './route.ts';
import { session, watch } from './session.ts';
import { useRoute } from './use-route.ts';

export function App() {
  const [signedIn, setSignedIn] = useState(session);
  const [wasSignedIn, setWasSignedIn] = useState(false);
  const route = useRoute();
  useEffect(
    () =>
      watch(next => {
        setWasSignedIn(next === null);
        setSignedIn(next);
      }),
    [],
  );
  if (signedIn === null) return <SignIn isEnded={wasSignedIn} />;
  return (
    // Another session may be of another account: nothing of the page may stay.
    <Shell key={signedIn.token} route={route} email={signedIn.email}>
      <Page key={pageKey(route)} route={route} />
    </Shell>
  );
}

/** Identifies a page. A change of a filter keeps it. */
const pageKey = (route: Route): string =>
  route.page === 'source' || route.page === 'job' ? addressOf(route).replace(/\?.*/, '') : route.page;

function Page({ route }: { route: Route }) {
  switch (route.page) {
    case 'overview':
      return <Overview days={route.days} />;
    case 'sources':
      return <Sources query={route.query} />;
    case 'source':
      return <SourcePage {...route} />;
    case 'jobs':
      return <Jobs filter={route} />;
    case 'job':
      return <JobPage id={route.id} />;
    case 'try':
      return <Try source={route.source} />;
    case 'alerts':
      return <Alerts />;
    case 'keys':
      return <Keys />;
    case 'billing':
      return <Billing />;
    case 'unknown':
      return <Unknown />;
  }
}
