/** The application: all routes, and one place that turns errors into responses. */
import { Elysia } from 'elysia';
import { type DashboardRouteDependencies, dashboardRoutes } from './http/dashboard.ts';
import { type AuthRouteDependencies, authRoutes } from './http/auth.ts';
import { type BillingRouteDependencies, billingRoutes } from './http/billing.ts';
import { Rejection } from './errors.ts';
import {
  type AlertRouteDependencies,
  alertActionRoutes,
  alertChannelRoutes,
  alertDeliveryRoutes,
} from './http/alerts.ts';
import { docs } from './http/docs.ts';
import { health } from './http/health.ts';
import { type KeyRouteDependencies, keyRoutes } from './http/keys.ts';
import { type ReadyDependencies, readyRoutes } from './http/ready.ts';
import { type HistoryRouteDependencies, historyRoutes } from './http/history.ts';
import { type IncidentRouteDependencies, incidentRoutes } from './http/incidents.ts';
import { type JobRouteDependencies, jobRoutes } from './http/jobs.ts';
import { type MetricsRouteDependencies, metricsRoutes } from './http/metrics.ts';
import { factsOf } from './http/request-facts.ts';
import { type MonitoringDependencies, monitored } from './http/monitoring.ts';
import { refuse } from './http/refuse.ts';
import { routePatterns } from './http/route-patterns.ts';
import { type SchemaRouteDependencies, schemaRoutes } from './http/schema.ts';
import { type SettingsRouteDependencies, settingsRoutes } from './http/settings.ts';
import { type ScreenRouteDependencies, screenRoutes } from './http/screen.ts';
import { type RulesRouteDependencies, rulesRoutes } from './http/rules.ts';
import { type StatsRouteDependencies, statsRoutes } from './http/stats.ts';
import { streamRoutes } from './http/stream.ts';
import { type FeedbackRouteDependencies, feedbackRoutes } from './http/feedback.ts';
import { uploadOf } from './http/upload-of.ts';
import { type TrendRouteDependencies, trendRoutes } from './http/trends.ts';
import { type VersionRouteDependencies, versionRoutes } from './http/versions.ts';

export type AppDependencies = ScreenRouteDependencies &
  SchemaRouteDependencies &
  KeyRouteDependencies &
  AuthRouteDependencies &
  BillingRouteDependencies &
  ReadyDependencies &
  JobRouteDependencies &
  AlertRouteDependencies &
  IncidentRouteDependencies &
  HistoryRouteDependencies &
  TrendRouteDependencies &
  StatsRouteDependencies &
  SettingsRouteDependencies &
  RulesRouteDependencies &
  FeedbackRouteDependencies &
  VersionRouteDependencies &
  DashboardRouteDependencies &
  MetricsRouteDependencies &
  MonitoringDependencies;

/** Creates the application. `deps` has everything that it uses. */
export function createApp(deps: AppDependencies) {
  // By default Elysia searches the path from the 11th character on, which fails for hosts of fewer than four characters.
  const app = new Elysia({ handler: { standardHostname: false } })
    .onRequest(({ request }) => {
      if (deps.draining() && !isProbe(request)) throw stopping();
    })
    .onError(({ error, request }) => {
      const upload = uploadOf(request, deps);
      return refuse(error, upload, factsOf(request), deps);
    })
    .use(health)
    .use(dashboardRoutes(deps))
    .use(metricsRoutes(deps))
    .use(screenRoutes(deps))
    .use(streamRoutes(deps))
    // Caches skip responses to `Authorization`, but do not know X-API-Key. And readiness may change at any time.
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
    .use(trendRoutes(deps))
    .use(settingsRoutes(deps))
    .use(rulesRoutes(deps))
    .use(feedbackRoutes(deps))
    .use(versionRoutes(deps))
    .use(statsRoutes(deps))
    .use(alertChannelRoutes(deps))
    .use(alertActionRoutes(deps))
    .use(alertDeliveryRoutes(deps))
    .use(incidentRoutes(deps))
    .use(docs);
  const patternOf = routePatterns(app.routes.map(({ path }) => path));
  const { fetch } = app.compile();
  // Wraps all of Elysia, including `app.handle`, to monitor requests without a route and early rejections too.
  return Object.assign(app, { fetch: monitored(fetch, patternOf, deps) });
}

/** Health and readiness checks are answered until the end. */
const isProbe = ({ url }: Request): boolean => /^[^?#]*\/v1\/(health|ready)([?#]|$)/.test(url);

const stopping = () =>
  new Rejection('SERVICE_UNAVAILABLE', 'This process is stopping: send the request again', {
    'Retry-After': '1',
    Connection: 'close',
  });
