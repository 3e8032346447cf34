/** Environment → typed configuration. The only reader of the environment; every value is checked before anything starts. */
import { emailIn } from './account/email.ts';
import { isWellFormedKey } from './account/keys.ts';

import { PLANS, type PlanName } from './account/plans.ts';

const PLAN_NAMES = Object.keys(PLANS) as PlanName[];
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const MIB = 1024 * 1024;

export interface Config {
  /** 0 takes a free port. */
  port: number;
  host: string;
  dataDir: string;
  /** Largest body in bytes, counted after decoding too. */
  maxBodyBytes: number;
  /** Rows whose values are measured when a batch has more and `full_scan` is off. */
  sampleRows: number;
  /** Whether stored jobs, and answers to repeat, keep values of the payload. */
  storeValues: boolean;
  /** Jobs older than this are forgotten. */
  jobRetentionDays: number;
  /** A body without a new byte for this long is refused. */
  bodyStallSeconds: number;
  /** Longest time a body may keep us waiting in all. */
  bodySeconds: number;
  logLevel: (typeof LOG_LEVELS)[number];
  /** Key that must exist from the start; null: one is made on the first start. */
  bootstrapApiKey: string | null;
  bootstrapPlan: PlanName;
  /** Who may sign in to the account of the bootstrap key; null: nobody. */
  bootstrapEmail: string | null;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable whose value cannot be used. The message is one line and names the variable, never a secret's value. */
export class ConfigError extends Error {}

/** Reads every variable; an empty one counts as not set. Throws `ConfigError`. */
export function readConfig(environment: Environment = process.env): Config {
  return {
    port: integer(environment, 'PORT', 8080, 0, 65535),
    host: text(environment, 'HOST', '127.0.0.1'),
    dataDir: text(environment, 'DATA_DIR', './data'),
    // The engine keeps the body and its columns in one linear memory of at most 4 GiB.
    maxBodyBytes: integer(environment, 'MAX_BODY_BYTES', 32 * MIB, 1, 256 * MIB),
    sampleRows: integer(environment, 'SAMPLE_ROWS', 1000, 1, 10000),
    storeValues: oneOf(environment, 'STORE_VALUES', 'true', ['true', 'false']) === 'true',
    jobRetentionDays: integer(environment, 'JOB_RETENTION_DAYS', 400, 1, 36500),
    // Bun's own connection timeout, which must stay the longer one, ends at 255 seconds.
    bodyStallSeconds: integer(environment, 'BODY_STALL_SECONDS', 10, 1, 240),
    bodySeconds: integer(environment, 'BODY_SECONDS', 120, 1, 3600),
    logLevel: oneOf(environment, 'LOG_LEVEL', 'info', LOG_LEVELS),
    bootstrapApiKey: apiKey(environment, 'BOOTSTRAP_API_KEY'),
    bootstrapPlan: oneOf(environment, 'BOOTSTRAP_PLAN', 'developer', PLAN_NAMES),
    bootstrapEmail: email(environment, 'BOOTSTRAP_EMAIL'),
  };
}

function text(environment: Environment, name: string, fallback: string): string {
  return environment[name]?.trim() || fallback;
}

function integer(environment: Environment, name: string, fallback: number, min: number, max: number): number {
  const given = text(environment, name, String(fallback));
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < min || value > max)
    throw new ConfigError(
      `${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(given)}`,
    );
  return value;
}

function oneOf<T extends string>(
  environment: Environment,
  name: string,
  fallback: T,
  allowed: readonly T[],
): T {
  const given = text(environment, name, fallback);
  const value = allowed.find(each => each === given);
  if (value === undefined)
    throw new ConfigError(`${name} must be one of ${allowed.join(', ')}, not ${JSON.stringify(given)}`);
  return value;
}

function apiKey(environment: Environment, name: string): string | null {
  const given = text(environment, name, '');
  if (given === '') return null;
  if (!isWellFormedKey(given))
    throw new ConfigError(`${name} must be sluice_live_ followed by 32 to 200 letters and digits`);
  return given;
}

function email(environment: Environment, name: string): string | null {
  const given = text(environment, name, '');
  if (given === '') return null;
  const address = emailIn(given);
  if (address === null) throw new ConfigError(`${name} must be an e-mail address`);
  return address;
}
