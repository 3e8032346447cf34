/** Environment → typed configuration. The only reader of the environment; every value is checked before anything starts. */
import { isIP } from 'node:net';
import { emailIn } from './account/email.ts';
import { isWellFormedKey } from './account/keys.ts';
import { PLANS, type PlanName } from './account/plans.ts';
import { MODES, type Mode } from './options/options.ts';
import { PAID_PLANS, type Prices } from './billing/payments.ts';

const PLAN_NAMES = Object.keys(PLANS) as PlanName[];
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const LOG_FORMATS = ['auto', 'json', 'text'] as const;
const SIGNUPS = ['open', 'closed'] as const;
const SENDER = 'sluice@localhost';
/** No second address and no second line. A host without a dot is one of this network. */
const NAME_AND_ADDRESS = /^[^<>@,;:"\\\p{C}]*<([^<>]*)>$/u;
const ADDRESS = /^[^\s<>@,;:"\\\p{C}]+@[^\s<>@,;:"\\\p{C}]+$/u;
const MIB = 1024 * 1024;
const LEAST_TOKEN_CHARACTERS = 16;

export interface Config {
  /** 0 takes a free port. */
  port: number;
  host: string;
  dataDir: string;
  /** Largest body in bytes, counted after decoding too. */
  maxBodyBytes: number;
  /** Rows whose values are measured when a batch has more and `full_scan` is off. */
  sampleRows: number;
  /** What judges where neither the request nor the source's settings say it. */
  defaultMode: Mode;
  /** Whether stored jobs, and answers to repeat, keep values of the payload. */
  storeValues: boolean;
  /** Jobs older than this are forgotten. */
  jobRetentionDays: number;
  /** A body without a new byte for this long is refused. */
  bodyStallSeconds: number;
  /** Longest time a body may keep us waiting in all. */
  bodySeconds: number;
  logLevel: (typeof LOG_LEVELS)[number];
  /** `auto`: text on a terminal, else JSON. */
  logFormat: (typeof LOG_FORMATS)[number];
  /** Key that must exist from the start; null: one is made on the first start. */
  bootstrapApiKey: string | null;
  bootstrapPlan: PlanName;
  /** Who may sign in to the account of the bootstrap key; null: nobody. */
  bootstrapEmail: string | null;
  /** Whether an address without an account may make one by signing in. */
  signups: (typeof SIGNUPS)[number];
  /** Mail server; null: one-time codes are printed in the log. */
  smtpUrl: string | null;
  /** Sender of mails, `a@b.c` or `Name <a@b.c>`. */
  mailFrom: string;
  /** Postgres; null: SQLite in `dataDir`. */
  databaseUrl: string | null;
  /** Redis, or the nodes of a Cluster with commas between them; null: SQLite in `dataDir`. */
  redisUrl: string | null;
  /** The longest round trip to Redis or Postgres that counts as slow and not as away. */
  storeTimeoutMs: number;
  /** Processes on one port. */
  workers: number;
  /** Which of several processes this is, from 0; null: the only one, or the one that starts them. */
  worker: number | null;
  /** How long a stop waits for requests that run. */
  drainSeconds: number;
  /** Port of its own for /metrics; null: none. 0 takes a free port. */
  metricsPort: number | null;
  metricsHost: string;
  /** What /metrics asks for; without `metricsPort` it is on the service's port then. Null: no token is asked for. */
  metricsToken: string | null;
  /** Proxies whose X-Forwarded-For is believed. */
  trustedProxies: Subnet[];
  /** Where people reach the service, without a slash at the end. */
  publicUrl: string;
  /** Null: nothing is sold here. */
  stripeSecretKey: string | null;
  /** Null: no webhook is believed. */
  stripeWebhookSecret: string | null;
  stripePrices: Prices;
  /** Another endpoint than Stripe's own: protocol, host and port; null: Stripe's. */
  stripeApiBase: string | null;
}

export interface Subnet {
  address: string;
  family: 'ipv4' | 'ipv6';
  /** Bits that count: 32 or 128 for one address. */
  prefix: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable whose value cannot be used. The message is one line and names the variable, never a secret's value. */
export class ConfigError extends Error {}

/** Reads every variable; an empty one counts as not set. Throws `ConfigError`. */
export function readConfig(environment: Environment = process.env): Config {
  const smtp = smtpUrl(environment, 'SMTP_URL');
  const port = integer(environment, 'PORT', 8080, 0, 65535);
  return {
    port,
    host: text(environment, 'HOST', '127.0.0.1'),
    dataDir: text(environment, 'DATA_DIR', './data'),
    // The engine keeps the body and its columns in one linear memory of at most 4 GiB.
    maxBodyBytes: integer(environment, 'MAX_BODY_BYTES', 32 * MIB, 1, 256 * MIB),
    sampleRows: integer(environment, 'SAMPLE_ROWS', 1000, 1, 10000),
    defaultMode: oneOf(environment, 'DEFAULT_MODE', 'contract', MODES),
    storeValues: oneOf(environment, 'STORE_VALUES', 'true', ['true', 'false']) === 'true',
    jobRetentionDays: integer(environment, 'JOB_RETENTION_DAYS', 400, 1, 36500),
    // Bun's own connection timeout, which must stay the longer one, ends at 255 seconds.
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
    workers: integer(environment, 'WORKERS', 1, 1, 64),
    worker: environment.WORKER ? integer(environment, 'WORKER', 0, 0, 63) : null,
    drainSeconds: integer(environment, 'DRAIN_SECONDS', 30, 0, 3600),
    signups: oneOf(environment, 'SIGNUPS', 'open', SIGNUPS),
    smtpUrl: smtp,
    mailFrom: sender(environment, 'MAIL_FROM', smtp),
    metricsPort: environment.METRICS_PORT ? integer(environment, 'METRICS_PORT', 0, 0, 65535) : null,
    metricsHost: text(environment, 'METRICS_HOST', '127.0.0.1'),
    metricsToken: secret(environment, 'METRICS_TOKEN', LEAST_TOKEN_CHARACTERS),
    trustedProxies: subnets(environment, 'TRUSTED_PROXIES'),
    publicUrl: webAddress(environment, 'PUBLIC_URL') ?? `http://127.0.0.1:${port}`,
    stripeSecretKey: secret(environment, 'STRIPE_SECRET_KEY'),
    stripeWebhookSecret: secret(environment, 'STRIPE_WEBHOOK_SECRET'),
    stripePrices: prices(environment),
    stripeApiBase: webAddress(environment, 'STRIPE_API_BASE', true),
  };
}

/** What the command line takes from the environment where no option says it. */
export interface CliEnvironment {
  /** API key for `--url`. */
  key: string | null;
  /** Somebody, or the terminal, wants no colours (no-color.org). */
  noColour: boolean;
}

export const readCliEnvironment = (environment: Environment = process.env): CliEnvironment => ({
  key: environment.SLUICE_KEY || null,
  noColour: Boolean(environment.NO_COLOR) || environment.TERM === 'dumb',
});

/** The environment of a worker: ours, but for what is given. */
export const workerEnvironment = (given: Record<string, string>): Environment => ({
  ...process.env,
  ...given,
});

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

/** The message does not repeat the value, which may hold a password. */
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

/** Null when it is not percent-encoded as it should be. */
function userOf(url: URL): string | null {
  try {
    return decodeURIComponent(url.username);
  } catch {
    return null;
  }
}

/** Many servers take mail of their user's address and of no other. */
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
      `${name} must be IP addresses or networks such as 10.0.0.0/8, with commas between, not ${wrong}`,
    );
  });
}

/** IPv4 within IPv6 is none: peers with such an address are known by their IPv4 address. */
function subnetIn(given: string): Subnet | null {
  const [, address = '', bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(given) ?? [];
  const version = isIP(address);
  if (version === 0 || (version === 6 && address.includes('.'))) return null;
  const most = version === 4 ? 32 : 128;
  const prefix = Number(bits ?? most);
  return prefix <= most ? { address, family: version === 4 ? 'ipv4' : 'ipv6', prefix } : null;
}

/** The address may hold a password: a message never shows it. */
function address(environment: Environment, name: string, protocols: string[]): string | null {
  const given = text(environment, name, '');
  if (given === '') return null;
  const url = URL.parse(given);
  if (url === null || !protocols.includes(url.protocol) || url.hostname === '')
    throw new ConfigError(`${name} must be an address that begins with ${protocols[0]}//`);
  return given;
}

function addresses(environment: Environment, name: string, protocols: string[]): string | null {
  const given = text(environment, name, '');
  if (given === '') return null;
  // An empty part would count as not set.
  const parts = given.split(',').map(part => address({ [name]: part.trim() || '?' }, name, protocols));
  return parts.join(',');
}

/** Without a slash at the end; `isBare`: nothing may stand behind the port. */
function webAddress(environment: Environment, name: string, isBare = false): string | null {
  const given = text(environment, name, '');
  if (given === '') return null;
  const url = URL.parse(given);
  const ends = url === null ? '' : `${url.username}${url.password}${url.search}${url.hash}`;
  if (url === null || !/^https?:$/.test(url.protocol) || ends !== '' || (isBare && url.pathname !== '/')) {
    const rest = isBare ? 'and nothing behind its port' : 'without a user, a question mark or a #';
    throw new ConfigError(`${name} must be an address that begins with https:// or http://, ${rest}`);
  }
  return url.href.replace(/\/+$/, '');
}

/** The message does not repeat the value. It goes into a header as it is. */
function secret(environment: Environment, name: string, leastCharacters = 1): string | null {
  const given = text(environment, name, '');
  if (given === '') return null;
  if (!/^[!-~]+$/.test(given))
    throw new ConfigError(`${name} must be visible ASCII characters without spaces`);
  if (given.length < leastCharacters)
    throw new ConfigError(`${name} must be at least ${leastCharacters} characters`);
  return given;
}

/** One price means one plan. */
function prices(environment: Environment): Prices {
  const named = PAID_PLANS.map(plan => {
    const name = `STRIPE_PRICE_${plan.toUpperCase()}`;
    return { plan, name, price: text(environment, name, '') || null };
  });
  const twice = named.find(
    ({ price }, i) => price !== null && named.slice(0, i).some(other => other.price === price),
  );
  if (twice) throw new ConfigError(`${twice.name} must be another price than those of the other plans`);
  return Object.fromEntries(named.map(({ plan, price }) => [plan, price])) as Prices;
}
