/** The application: all routes, and one place that turns errors into responses. */
import { Elysia } from 'elysia';
import { Rejection } from '../terms/errors.ts';
import { type DashboardRouteDependencies, dashboardRoutes } from './dashboard.ts';
import { docsRoutes } from './docs.ts';
import { type MetricsRouteDependencies, metricsRoutes } from './metrics.ts';
import { type MonitoringDependencies, monitored } from './monitoring.ts';
import { refuse } from './refuse.ts';
import { factsOf } from './request-facts.ts';
import { addRoutes } from './route.ts';
import { routePatterns } from './route-patterns.ts';
import { ROUTES, type RouteDependencies } from './routes.ts';
import { streamRoutes } from './stream.ts';
import { uploadOf } from './upload-of.ts';

export type AppDependencies = RouteDependencies &
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
    });
  addRoutes(app, [...dashboardRoutes, ...metricsRoutes, ...streamRoutes(), ...docsRoutes(ROUTES)], deps);
  addRoutes(app, ROUTES, deps);
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
