/** What the application needs of its stores. Every implementation passes the suites in `test/ports/`. */
export type * from './ports/alerts.ts';
export * from './ports/baselines.ts';
export type * from './ports/batches.ts';
export type * from './ports/billing.ts';
export * from './ports/changes.ts';
export type * from './ports/dependency.ts';
export * from './ports/idempotency.ts';
export type * from './ports/identities.ts';
export * from './ports/jobs.ts';
export type * from './ports/keys.ts';
export type * from './ports/pub-sub.ts';
export type * from './ports/rates.ts';
export type * from './ports/sign-in.ts';
export * from './ports/usage.ts';
export type * from './ports/windows.ts';
