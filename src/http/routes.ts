/** All routes of the API. Each resource is a folder: its schemas, and its routes. */
import { channelRoutes, deliveryRoutes } from './alerts/routes.ts';
import { authRoutes } from './auth/routes.ts';
import { batchRoutes } from './batches/routes.ts';
import { billingRoutes } from './billing/routes.ts';
import { feedbackRoutes } from './feedback/routes.ts';
import { historyRoutes } from './history/routes.ts';
import { incidentRoutes } from './incidents/routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import type { Route } from './route.ts';
import { rulesRoutes } from './rules/routes.ts';
import { screenRoutes } from './screen/routes.ts';
import { serviceRoutes } from './service/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { sourceRoutes } from './sources/routes.ts';
import { statsRoutes } from './stats/routes.ts';
import { trendRoutes } from './trends/routes.ts';
import { versionRoutes } from './versions/routes.ts';

export const ROUTES = [
  ...serviceRoutes,
  ...screenRoutes,
  ...batchRoutes,
  ...keyRoutes,
  ...authRoutes,
  ...billingRoutes,
  ...sourceRoutes,
  ...jobRoutes,
  ...historyRoutes,
  ...trendRoutes,
  ...settingsRoutes,
  ...rulesRoutes,
  ...feedbackRoutes,
  ...versionRoutes,
  ...statsRoutes,
  ...channelRoutes,
  ...deliveryRoutes,
  ...incidentRoutes,
] as const;

/** What they use together. */
export type RouteDependencies = [(typeof ROUTES)[number]] extends [Route<infer Deps>] ? Deps : never;
