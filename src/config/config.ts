/** Reads the typed configuration from the environment, and checks every value before anything starts. No other file reads the environment. */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { emailIn } from '../account/email.ts';
import { isWellFormedKey } from '../account/keys.ts';
import { PLANS, type PlanName } from '../account/plans.ts';
import { ASKED_MODES, type AskedMode } from '../options/options.ts';
import { MAX_THREADS } from '../threads/limits.ts';
import { PAID_PLANS, type Prices } from '../billing/payments.ts';

const PLAN_NAMES = Object.keys(PLANS) as PlanName[];
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOG_FORMATS = ['auto', 'json', 'text'] as const;
const SIGNUPS = ['open', 'closed'] as const;
const SENDER = 'sluice@localhost';
/** One address on one line. A host without a dot is a local one. */
const NAME_AND_ADDRESS = /^[^<>@,;:"\\\p{C}]*<([^<>]*)>$/u;
const ADDRESS = /^[^\s<>@,;:"\\\p{C}]+@[^\s<>@,;:"\\\p{C}]+$/u;
const MIB = 1024 * 1024;
const MIN_TOKEN_CHARACTERS = 16;

export interface Config {
  /** 0 takes a free port. */
  port: number;
  host: string;
  dataDir: string;
  /** Maximum body size in bytes, before and after decoding. */
  maxBodyBytes: number;
  /** Sample size for larger batches without `full_scan`. */
  sampleRows: number;
  /** Mode if neither the request nor the source's settings set one. */
  defaultMode: AskedMode;
  /** Whether stored jobs and answers contain values of the payload. */
  storeValues: boolean;
  /** Older jobs are deleted. */
  jobRetentionDays: number;
  /** How long a batch that comes in parts may be open. */
  batchTtlHours: number;
  /** Baselines of sources that were not screened for so long are deleted. */
  sourceRetentionDays: number;
  /** What every account may keep; null: its plan decides. */
  maxSources: number | null;
  maxBaselineBytes: number | null;
  maxReportBytes: number | null;
  /** A body without a new byte for this long is rejected. */
  bodyStallSeconds: number;
  /** Maximum total time to wait for a body. */
  bodySeconds: number;
  logLevel: (typeof LOG_LEVELS)[number];
  /** `auto`: text on a terminal, else JSON. */
  logFormat: (typeof LOG_FORMATS)[number];
  /** API key to create at start; null: the first start generates one. */
  bootstrapApiKey: string | null;
  bootstrapPlan: PlanName;
  /** Address that may sign in to the first account; null: none. */
  bootstrapEmail: string | null;
  /** Whether an address without an account may create one by signing in. */
  signups: (typeof SIGNUPS)[number];
  /** Plan of an account that a new address gets. */
  signupPlan: PlanName;
  /** Mail server; null: one-time codes are written to the log. */
  smtpUrl: string | null;
  /** Whether alerts may be posted to private, loopback and link-local addresses. */
  alertAllowPrivate: boolean;
  /** Sender of mails, `a@b.c` or `Name <a@b.c>`. */
  mailFrom: string;
  /** Postgres; null: SQLite in `dataDir`. */
  databaseUrl: string | null;
  /** Redis, or the nodes of a Cluster separated by commas; null: SQLite in `dataDir`. */
  redisUrl: string | null;
  /** Longest round trip to Redis or Postgres, in ms. A slower store counts as down. */
  storeTimeoutMs: number;
  /** Threads that parse and judge, 1 to 8. */
  engineThreads: number;
  /** Processor time that one batch may take, in seconds. */
  batchSeconds: number;
  /** `WORKERS`, which was a number of processes, is a number of threads now. */
  isWorkersSet: boolean;
  /** How long a stop waits for running requests. */
  drainSeconds: number;
  /** Separate port for /metrics; null: none. 0 takes a free port. */
  metricsPort: number | null;
  metricsHost: string;
  /** Bearer token for /metrics; null: no token needed. Without `metricsPort`, a token enables /metrics on the service's port. */
  metricsToken: string | null;
  /** Proxies whose X-Forwarded-For is trusted. */
  trustedProxies: Subnet[];
  /** Public URL of the service, without a trailing slash; null: where it listens. */
  publicUrl: string | null;
  /** Null: billing is not configured. */
  stripeSecretKey: string | null;
  /** Null: webhooks are rejected. */
  stripeWebhookSecret: string | null;
  stripePrices: Prices;
  /** Protocol, host and port of another endpoint; null: Stripe's. */
  stripeApiBase: string | null;
}

export interface Subnet {
  address: string;
  family: 'ipv4' | 'ipv6';
  /** Length of the prefix in bits: 32 or 128 for a single address. */
  prefix: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable has an invalid value. The message is one line and names the variable, but never the value of a secret. */
export class ConfigError extends Error {}

/** Reads all variables; an empty one counts as not set. Throws `ConfigError`. */
export function readConfig(environment: Environment = process.env): Config {
  const smtp = smtpUrl(environment, 'SMTP_URL');
  return {
    port: integer(environment, 'PORT', 8080, 0, 65535),
    host: text(environment, 'HOST', '127.0.0.1'),
    dataDir: text(environment, 'DATA_DIR', './data'),
    // The engine keeps the body and its columns in one linear memory of at most 4 GiB.
    maxBodyBytes: integer(environment, 'MAX_BODY_BYTES', 32 * MIB, 1, 256 * MIB),
    sampleRows: integer(environment, 'SAMPLE_ROWS', 1000, 1, 10000),
    defaultMode: oneOf(environment, 'DEFAULT_MODE', 'contract', ASKED_MODES),
    storeValues: oneOf(environment, 'STORE_VALUES', 'true', ['true', 'false']) === 'true',
    batchTtlHours: integer(environment, 'BATCH_TTL_HOURS', 24, 1, 720),
    jobRetentionDays: integer(environment, 'JOB_RETENTION_DAYS', 400, 1, 36500),
    sourceRetentionDays: integer(environment, 'SOURCE_RETENTION_DAYS', 400, 1, 36500),
    maxSources: optionalInteger(environment, 'MAX_SOURCES', 1, 1_000_000_000),
    maxBaselineBytes: optionalInteger(environment, 'MAX_BASELINE_BYTES', MIB, 2 ** 50),
    maxReportBytes: optionalInteger(environment, 'MAX_REPORT_BYTES', 16 * MIB, 2 ** 50),
    // Must be shorter than Bun's own connection timeout, which is at most 255 seconds.
    bodyStallSeconds: integer(environment, 'BODY_STALL_SECONDS', 10, 1, 240),
    bodySeconds: integer(environment, 'BODY_SECONDS', 120, 1, 3600),
    logLevel: oneOf(environment, 'LOG_LEVEL', 'info', LOG_LEVELS),
    logFormat: oneOf(environment, 'LOG_FORMAT', 'auto', LOG_FORMATS),
    bootstrapApiKey: apiKey(environment, 'BOOTSTRAP_API_KEY'),
    bootstrapPlan: oneOf(environment, 'BOOTSTRAP_PLAN', 'developer', PLAN_NAMES),
    bootstrapEmail: email(environment, 'BOOTSTRAP_EMAIL'),
    databaseUrl: address(environment, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    redisUrl: addresses(environment, 'REDIS_URL', ['redis:', 'rediss:']),
    storeTimeoutMs: integer(environment, 'STORE_TIMEOUT_MS', 500, 50, 10_000),
    engineThreads: integer(environment, 'ENGINE_THREADS', threadsOf(environment), 1, MAX_THREADS),
    isWorkersSet: text(environment, 'WORKERS', '') !== '',
    batchSeconds: integer(environment, 'BATCH_SECONDS', 30, 1, 3600),
    drainSeconds: integer(environment, 'DRAIN_SECONDS', 30, 0, 3600),
    signups: oneOf(environment, 'SIGNUPS', 'open', SIGNUPS),
    signupPlan: oneOf(environment, 'SIGNUP_PLAN', 'developer', PLAN_NAMES),
    smtpUrl: smtp,
    alertAllowPrivate: oneOf(environment, 'ALERT_ALLOW_PRIVATE', 'false', ['true', 'false']) === 'true',
    mailFrom: sender(environment, 'MAIL_FROM', smtp),
    metricsPort: optionalInteger(environment, 'METRICS_PORT', 0, 65535),
    metricsHost: text(environment, 'METRICS_HOST', '127.0.0.1'),
    metricsToken: secret(environment, 'METRICS_TOKEN', MIN_TOKEN_CHARACTERS),
    trustedProxies: subnets(environment, 'TRUSTED_PROXIES'),
    publicUrl: webAddress(environment, 'PUBLIC_URL'),
    stripeSecretKey: secret(environment, 'STRIPE_SECRET_KEY'),
    stripeWebhookSecret: secret(environment, 'STRIPE_WEBHOOK_SECRET'),
    stripePrices: prices(environment),
    stripeApiBase: webAddress(environment, 'STRIPE_API_BASE', true),
  };
}

/** Defaults of the command line from the environment. */
export interface CliEnvironment {
  /** API key for `--url`. */
  key: string | null;
  /** The user or the terminal wants no colours (no-color.org). */
  noColour: boolean;
}

export const readCliEnvironment = (environment: Environment = process.env): CliEnvironment => ({
  key: environment.SLUICE_KEY || null,
  noColour: Boolean(environment.NO_COLOR) || environment.TERM === 'dumb',
});

/** Values for `{{NAME}}` in the configuration of a stream. */
export const readStreamEnvironment = (environment: Environment = process.env): Environment => environment;

/** One for each core. */
function threadsOf(environment: Environment): number {
  const workers = integer(environment, 'WORKERS', availableParallelism(), 1, 64);
  return Math.min(MAX_THREADS, workers);
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

const optionalInteger = (environment: Environment, name: string, min: number, max: number): number | null =>
  text(environment, name, '') === '' ? null : integer(environment, name, min, min, max);

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

/** The message does not contain the value, which may contain a password. */
function smtpUrl(environment: Environment, name: string): string | null {
  const given = text(environment, name, '');
  if (given === '') return null;
  const url = URL.canParse(given) ? new URL(given) : null;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || userOf(url) === null)
    throw new ConfigError(
      `${name} must be smtp:// or smtps:// with a host, as in smtp://user:password@host:587`,
    );
  return given;
}

/** Null if its percent-encoding is invalid. */
const userOf = (url: URL): string | null => decoded(url.username);

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** The default is the user's address: many servers accept no other sender. */
function sender(environment: Environment, name: string, smtp: string | null): string {
  const user = smtp === null ? null : emailIn(userOf(new URL(smtp)) ?? '');
  const given = text(environment, name, user ?? SENDER);
  if (!ADDRESS.test(NAME_AND_ADDRESS.exec(given)?.[1] ?? given))
    throw new ConfigError(
      `${name} must be an e-mail address or NAME <ADDRESS>, not ${JSON.stringify(given)}`,
    );
  return given;
}

function subnets(environment: Environment, name: string): Subnet[] {
  const given = text(environment, name, '');
  if (given === '') return [];
  return given.split(',').map(each => {
    const subnet = subnetIn(each.trim());
    if (subnet) return subnet;
    const wrong = JSON.stringify(each.trim());
    throw new ConfigError(
      `${name} must be IP addresses or networks such as 10.0.0.0/8, separated by commas, not ${wrong}`,
    );
  });
}

/** Rejects IPv4-mapped IPv6 addresses: such peers are known by their IPv4 address. */
function subnetIn(given: string): Subnet | null {
  const [, address = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(given) ?? [];
  const version = isIP(address);
  if (version === 0 || (version === 6 && address.includes('.'))) return null;
  const most = version === 4 ? 32 : 128;
  const prefix = Number(bits ?? most);
  return prefix <= most ? { address, family: version === 4 ? 'ipv4' : 'ipv6', prefix } : null;
}

/** The message does not contain the address, which may contain a password. */
function address(environment: Environment, name: string, protocols: string[]): string | null {
  const given = text(environment, name, '');
  if (given === '') return null;
  const url = URL.parse(given);
  if (url === null || !protocols.includes(url.protocol) || url.hostname === '')
    throw new ConfigError(`${name} must be an address that starts with ${protocols[0]}//`);
  if (decoded(`${url.username}:${url.password}${url.pathname}`) === null)
    throw new ConfigError(
      `${name} must be percent-encoded: write %25 for a % in a user, a password or a name`,
    );
  return given;
}

function addresses(environment: Environment, name: string, protocols: string[]): string | null {
  const given = text(environment, name, '');
  if (given === '') return null;
  // An empty part would count as not set.
  const parts = given.split(',').map(part => address({ [name]: part.trim() || '?' }, name, protocols));
  return parts.join(',');
}

/** Removes trailing slashes. `isBare`: nothing may follow the port. */
function webAddress(environment: Environment, name: string, isBare = false): string | null {
  const given = text(environment, name, '');
  if (given === '') return null;
  const url = URL.parse(given);
  const hasMore = url !== null && (`${url.username}${url.password}` !== '' || /[?#]/.test(url.href));
  if (url === null || !/^https?:$/.test(url.protocol) || hasMore || (isBare && url.pathname !== '/')) {
    const rest = isBare ? 'with nothing after the port' : 'without a user, a question mark or a #';
    throw new ConfigError(`${name} must be an address that starts with https:// or http://, ${rest}`);
  }
  return url.href.replace(/\/+$/, '');
}

/** The message does not contain the value. The value must be valid in a header. */
function secret(environment: Environment, name: string, minCharacters = 1): string | null {
  const given = text(environment, name, '');
  if (given === '') return null;
  if (!/^[!-~]+$/.test(given))
    throw new ConfigError(`${name} must be visible ASCII characters without spaces`);
  if (given.length < minCharacters)
    throw new ConfigError(`${name} must be at least ${minCharacters} characters long`);
  return given;
}

/** Each price must belong to one plan. */
function prices(environment: Environment): Prices {
  const named = PAID_PLANS.map(plan => {
    const name = `STRIPE_PRICE_${plan.toUpperCase()}`;
    return { plan, name, price: text(environment, name, '') || null };
  });
  const twice = named.find(
    ({ price }, i) => price !== null && named.slice(0, i).some(other => other.price === price),
  );
  if (twice) throw new ConfigError(`${twice.name} must differ from the prices of the other plans`);
  return Object.fromEntries(named.map(({ plan, price }) => [plan, price])) as Prices;
}
