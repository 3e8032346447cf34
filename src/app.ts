/** The application: resources, and one place that makes an answer of what they throw. */
import { Elysia } from 'elysia';
import { health } from './http/health.ts';
import { type HistoryRouteDependencies, historyRoutes } from './http/history.ts';
import { type JobRouteDependencies, jobRoutes } from './http/jobs.ts';
import { refuse } from './http/refuse.ts';
import { type ScreenRouteDependencies, screenRoutes } from './http/screen.ts';
import { type StatsRouteDependencies, statsRoutes } from './http/stats.ts';
import { renewal } from './http/timeout.ts';
import { Upload } from './intake/upload.ts';

export type AppDependencies = ScreenRouteDependencies &
  JobRouteDependencies &
  HistoryRouteDependencies &
  StatsRouteDependencies;

/** Everything that the application reaches comes in `deps`. */
export function createApp(deps: AppDependencies) {
  // By default Elysia looks for the path behind the 11th character, which skips it when the host is shorter than four.
  return new Elysia({ handler: { standardHostname: false } })
    .onError(({ error, request, server }) => {
      const unread = request.bodyUsed ? null : request.body;
      const upload = new Upload(unread, deps, renewal(request, server, deps.bodyStallSeconds));
      return refuse(error, upload, deps);
    })
    .use(health)
    .use(screenRoutes(deps))
    .use(jobRoutes(deps))
    .use(historyRoutes(deps))
    .use(statsRoutes(deps));
}
