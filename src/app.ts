/** The application: resources, and one place that makes an answer of what they throw. */
import { Elysia } from 'elysia';
import { type DashboardRouteDependencies, dashboardRoutes } from './http/dashboard.ts';
import { type AuthRouteDependencies, authRoutes } from './http/auth.ts';
import { type BillingRouteDependencies, billingRoutes } from './http/billing.ts';
import { Rejection } from './errors.ts';
import { docs } from './http/docs.ts';
import { health } from './http/health.ts';
import { type KeyRouteDependencies, keyRoutes } from './http/keys.ts';
import { type ReadyDependencies, readyRoutes } from './http/ready.ts';
import { type HistoryRouteDependencies, historyRoutes } from './http/history.ts';
import { type JobRouteDependencies, jobRoutes } from './http/jobs.ts';
import { type MetricsRouteDependencies, metricsRoutes } from './http/metrics.ts';
import { factsOf } from './http/facts.ts';
import { type MonitoringDependencies, monitored } from './http/monitoring.ts';
import { refuse } from './http/refuse.ts';
import { routePatterns } from './http/route-patterns.ts';
import { type SchemaRouteDependencies, schemaRoutes } from './http/schema.ts';
import { type SettingsRouteDependencies, settingsRoutes } from './http/settings.ts';
import { type ScreenRouteDependencies, screenRoutes } from './http/screen.ts';
import { type StatsRouteDependencies, statsRoutes } from './http/stats.ts';
import { type TeachingRouteDependencies, teachingRoutes } from './http/teaching.ts';
import { renewal } from './http/timeout.ts';
import { uploadOf } from './http/upload-of.ts';
import { type VersionRouteDependencies, versionRoutes } from './http/versions.ts';

export type AppDependencies = ScreenRouteDependencies &
  SchemaRouteDependencies &
  KeyRouteDependencies &
  AuthRouteDependencies &
  BillingRouteDependencies &
  ReadyDependencies &
  JobRouteDependencies &
  HistoryRouteDependencies &
  StatsRouteDependencies &
  SettingsRouteDependencies &
  TeachingRouteDependencies &
  VersionRouteDependencies &
  DashboardRouteDependencies &
  MetricsRouteDependencies &
  MonitoringDependencies;

/** Everything that the application reaches comes in `deps`. */
export function createApp(deps: AppDependencies) {
  // By default Elysia looks for the path behind the 11th character, which skips it when the host is shorter than four.
  const app = new Elysia({ handler: { standardHostname: false } })
    .onRequest(({ request }) => {
      if (deps.draining() && !isProbe(request)) throw stopping();
    })
    .onError(({ error, request, server }) => {
      const upload = uploadOf(request, deps, renewal(request, server, deps.bodyStallSeconds));
      return refuse(error, upload, factsOf(request), deps);
    })
    .use(health)
    .use(dashboardRoutes(deps))
    .use(metricsRoutes(deps))
    .use(screenRoutes(deps))
    // `Authorization` would keep an answer out of caches on the way by itself; X-API-Key means nothing to them.
    // What was ready a moment ago need not be ready now.
    .onAfterHandle(({ set }) => {
      set.headers['cache-control'] = 'no-store';
    })
    .use(readyRoutes(deps))
    .use(keyRoutes(deps))
    .use(authRoutes(deps))
    .use(billingRoutes(deps))
    .use(schemaRoutes(deps))
    .use(jobRoutes(deps))
    .use(historyRoutes(deps))
    .use(settingsRoutes(deps))
    .use(teachingRoutes(deps))
    .use(versionRoutes(deps))
    .use(statsRoutes(deps))
    .use(docs);
  const patternOf = routePatterns(app.routes.map(({ path }) => path));
  const { fetch } = app.compile();
  // Around all that Elysia does, `app.handle` too: what no route answers, and what is refused before one is found, is seen as well.
  return Object.assign(app, { fetch: monitored(fetch, patternOf, deps) });
}

/** Those who ask how we are get their own answers to the end. */
const isProbe = ({ url }: Request): boolean => /^[^?#]*\/v1\/(health|ready)([?#]|$)/.test(url);

const stopping = () =>
  new Rejection('SERVICE_UNAVAILABLE', 'This process is stopping: send the request again', {
    'Retry-After': '1',
    Connection: 'close',
  });
