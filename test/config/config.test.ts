import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'bun:test';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { MAX_THREADS } from '../../src/threads/limits.ts';
import { ROUND_TRIP_MS } from '../../src/stores/timeouts.ts';

const SECRET = 'a1'.repeat(16);

describe('valid values', () => {
  test('an empty environment gives the documented defaults', () => {
    expect(readConfig({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      dataDir: './data',
      maxBodyBytes: 33_554_432,
      sampleRows: 1000,
      defaultMode: 'contract',
      storeValues: true,
      jobRetentionDays: 400,
      batchTtlHours: 24,
      sourceRetentionDays: 400,
      maxSources: null,
      maxBaselineBytes: null,
      maxReportBytes: null,
      bodyStallSeconds: 10,
      bodySeconds: 120,
      logLevel: 'info',
      logFormat: 'auto',
      metricsPort: null,
      metricsHost: '127.0.0.1',
      metricsToken: null,
      bootstrapApiKey: null,
      bootstrapPlan: 'developer',
      bootstrapEmail: null,
      signups: 'open',
      signupPlan: 'developer',
      smtpUrl: null,
      alertAllowPrivate: false,
      mailFrom: 'sluice@localhost',
      databaseUrl: null,
      redisUrl: null,
      storeTimeoutMs: ROUND_TRIP_MS,
      engineThreads: Math.min(MAX_THREADS, availableParallelism()),
      batchSeconds: 30,
      isWorkersSet: false,
      drainSeconds: 30,
      trustedProxies: [],
      publicUrl: null,
      stripeSecretKey: null,
      stripeWebhookSecret: null,
      stripePrices: { starter: null, growth: null, scale: null },
      stripeApiBase: null,
    });
  });

  test('every variable is read', () => {
    const config = readConfig({
      PORT: '0',
      HOST: '::1',
      DATA_DIR: '/srv/sluice',
      MAX_BODY_BYTES: '1024',
      SAMPLE_ROWS: '50',
      DEFAULT_MODE: 'adaptive',
      STORE_VALUES: 'false',
      JOB_RETENTION_DAYS: '36500',
      BATCH_TTL_HOURS: '6',
      SOURCE_RETENTION_DAYS: '1',
      MAX_SOURCES: '1000000000',
      MAX_BASELINE_BYTES: '1048576',
      MAX_REPORT_BYTES: '16777216',
      BODY_STALL_SECONDS: '1',
      BODY_SECONDS: '2',
      LOG_LEVEL: 'debug',
      LOG_FORMAT: 'text',
      METRICS_PORT: '9100',
      METRICS_HOST: '::1',
      METRICS_TOKEN: 'sixteen-or-more-',
      BOOTSTRAP_API_KEY: `sluice_live_${SECRET}`,
      BOOTSTRAP_PLAN: 'scale',
      DATABASE_URL: 'postgres://sluice:secret@db:5432/sluice',
      REDIS_URL: 'redis://a:7000, rediss://b:7001',
      ENGINE_THREADS: '3',
      BATCH_SECONDS: '60',
      WORKERS: '4',
      DRAIN_SECONDS: '0',
      STORE_TIMEOUT_MS: '1500',
      BOOTSTRAP_EMAIL: ' Ann@Corp.com',
      SIGNUPS: 'closed',
      SIGNUP_PLAN: 'growth',
      ALERT_ALLOW_PRIVATE: 'true',
      SMTP_URL: 'smtps://me:secret@mail.corp.com?pool=true',
      MAIL_FROM: 'Sluice <sluice@corp.com>',
      TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,fd00::/8,::1',
      PUBLIC_URL: 'https://sluice.corp.com/gate/',
      STRIPE_SECRET_KEY: ' sk_test_1 ',
      STRIPE_WEBHOOK_SECRET: 'whsec_1',
      STRIPE_PRICE_STARTER: 'price_1',
      STRIPE_PRICE_GROWTH: 'price_2',
      STRIPE_PRICE_SCALE: 'price_3',
      STRIPE_API_BASE: 'http://127.0.0.1:12111/',
    });
    expect(config).toEqual({
      port: 0,
      host: '::1',
      dataDir: '/srv/sluice',
      maxBodyBytes: 1024,
      sampleRows: 50,
      defaultMode: 'adaptive',
      storeValues: false,
      batchTtlHours: 6,
      jobRetentionDays: 36500,
      sourceRetentionDays: 1,
      maxSources: 1_000_000_000,
      maxBaselineBytes: 1_048_576,
      maxReportBytes: 16_777_216,
      bodyStallSeconds: 1,
      bodySeconds: 2,
      logLevel: 'debug',
      logFormat: 'text',
      metricsPort: 9100,
      metricsHost: '::1',
      metricsToken: 'sixteen-or-more-',
      bootstrapApiKey: `sluice_live_${SECRET}`,
      bootstrapPlan: 'scale',
      databaseUrl: 'postgres://sluice:secret@db:5432/sluice',
      redisUrl: 'redis://a:7000,rediss://b:7001',
      engineThreads: 3,
      batchSeconds: 60,
      isWorkersSet: true,
      drainSeconds: 0,
      storeTimeoutMs: 1500,
      bootstrapEmail: 'ann@corp.com',
      signups: 'closed',
      signupPlan: 'growth',
      alertAllowPrivate: true,
      smtpUrl: 'smtps://me:secret@mail.corp.com?pool=true',
      mailFrom: 'Sluice <sluice@corp.com>',
      trustedProxies: [
        { address: '127.0.0.1', family: 'ipv4', prefix: 32 },
        { address: '10.0.0.0', family: 'ipv4', prefix: 8 },
        { address: 'fd00::', family: 'ipv6', prefix: 8 },
        { address: '::1', family: 'ipv6', prefix: 128 },
      ],
      publicUrl: 'https://sluice.corp.com/gate',
      stripeSecretKey: 'sk_test_1',
      stripeWebhookSecret: 'whsec_1',
      stripePrices: { starter: 'price_1', growth: 'price_2', scale: 'price_3' },
      stripeApiBase: 'http://127.0.0.1:12111',
    });
  });

  test.each<[string, keyof ReturnType<typeof readConfig>, number, number]>([
    ['PORT', 'port', 0, 65_535],
    ['MAX_BODY_BYTES', 'maxBodyBytes', 1, 268_435_456],
    ['SAMPLE_ROWS', 'sampleRows', 1, 10_000],
    ['JOB_RETENTION_DAYS', 'jobRetentionDays', 1, 36_500],
    ['BATCH_TTL_HOURS', 'batchTtlHours', 1, 720],
    ['BODY_STALL_SECONDS', 'bodyStallSeconds', 1, 240],
    ['BODY_SECONDS', 'bodySeconds', 1, 3600],
    ['ENGINE_THREADS', 'engineThreads', 1, MAX_THREADS],
    ['BATCH_SECONDS', 'batchSeconds', 1, 3600],
    ['STORE_TIMEOUT_MS', 'storeTimeoutMs', 50, 10_000],
    ['DRAIN_SECONDS', 'drainSeconds', 0, 3600],
  ])('%s ends where it says', (variable, name, least, most) => {
    for (const value of [least, most]) expect(readConfig({ [variable]: String(value) })[name]).toBe(value);
    for (const value of [least - 1, most + 1])
      expect(() => readConfig({ [variable]: String(value) })).toThrow(
        `${variable} must be a whole number from ${least} to ${most}, not "${value}"`,
      );
  });

  test('the sender defaults to the user of the mail server, if that is an address', () => {
    const from = (url: string) => readConfig({ SMTP_URL: url }).mailFrom;
    expect(from('smtp://me%40corp.com:secret@mail.corp.com')).toBe('me@corp.com');
    expect(from('smtp://me:secret@mail.corp.com')).toBe('sluice@localhost');
    expect(from('smtp://mail.corp.com')).toBe('sluice@localhost');
  });

  test('an empty or blank variable counts as not set', () => {
    expect(readConfig({ PORT: '', BOOTSTRAP_API_KEY: '', LOG_LEVEL: ' ' })).toEqual(readConfig({}));
    const bounds = { MAX_SOURCES: ' ', MAX_BASELINE_BYTES: ' ', MAX_REPORT_BYTES: ' ', METRICS_PORT: ' ' };
    expect(readConfig(bounds)).toEqual(readConfig({}));
  });
});

describe('invalid values', () => {
  const bad: [string, string][] = [
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['PORT', '-1'],
    ['PORT', '8e3'],
    ['MAX_BODY_BYTES', '0'],
    ['MAX_BODY_BYTES', '32MiB'],
    ['SAMPLE_ROWS', '1.5'],
    ['STORE_VALUES', 'no'],
    ['STORE_VALUES', '0'],
    ['JOB_RETENTION_DAYS', '0'],
    ['JOB_RETENTION_DAYS', '36501'],
    ['SOURCE_RETENTION_DAYS', '0'],
    ['MAX_SOURCES', '0'],
    ['MAX_BASELINE_BYTES', '1048575'],
    ['MAX_REPORT_BYTES', '16777215'],
    ['BODY_STALL_SECONDS', '0'],
    ['BODY_SECONDS', 'Infinity'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_FORMAT', 'xml'],
    ['DEFAULT_MODE', 'lenient'],
    ['METRICS_PORT', '65536'],
    ['METRICS_TOKEN', 'short'],
    ['METRICS_TOKEN', 'with a space in it'],
    ['BOOTSTRAP_API_KEY', `sluice_test_${SECRET}`],
    ['BOOTSTRAP_API_KEY', `sluice_live_${SECRET.slice(1)}`],
    ['BOOTSTRAP_API_KEY', `sluice_live_${SECRET}-`],
    ['BOOTSTRAP_PLAN', 'free'],
    ['BOOTSTRAP_PLAN', 'constructor'],
    ['DATABASE_URL', 'mysql://db/sluice'],
    ['DATABASE_URL', 'postgres://'],
    ['DATABASE_URL', 'postgres://sluice:100%@db/sluice'],
    ['REDIS_URL', 'redis://:100%@cache'],
    ['REDIS_URL', 'http://a'],
    ['REDIS_URL', 'redis://a,,redis://b'],
    ['WORKERS', '0'],
    ['WORKERS', '65'],
    ['DRAIN_SECONDS', '-1'],
    ['SIGNUPS', 'true'],
    ['SMTP_URL', 'mail.corp.com'],
    ['SMTP_URL', 'http://mail.corp.com'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'mail.corp.com:587'],
    ['SMTP_URL', 'smtp://100%:secret@mail.corp.com'],
    ['MAIL_FROM', 'sluice'],
    ['MAIL_FROM', 'Sluice <sluice>'],
    ['MAIL_FROM', 'a@corp.com, b@corp.com'],
    ['MAIL_FROM', 'Sluice sluice@corp.com'],
    ['MAIL_FROM', 'Sluice\tBcc: <all@corp.com>'],
    ['PUBLIC_URL', 'sluice.corp.com'],
    ['PUBLIC_URL', 'ftp://sluice.corp.com'],
    ['PUBLIC_URL', 'https://sluice.corp.com/?a=b'],
    ['PUBLIC_URL', 'https://sluice.corp.com/?'],
    ['PUBLIC_URL', 'https://sluice.corp.com/#'],
    ['STRIPE_SECRET_KEY', 'sk_test 1'],
    ['STRIPE_WEBHOOK_SECRET', 'whsec_\u00e9'],
    ['STRIPE_API_BASE', 'localhost:12111'],
    ['STRIPE_API_BASE', 'http://localhost:12111/v1'],
    ['TRUSTED_PROXIES', 'localhost'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.0/'],
    ['TRUSTED_PROXIES', '10.0.0/8'],
    ['TRUSTED_PROXIES', 'fd00::/129'],
    ['TRUSTED_PROXIES', '10.0.0.1,'],
    ['TRUSTED_PROXIES', '10.0.0.1;10.0.0.2'],
    ['TRUSTED_PROXIES', '::ffff:10.0.0.1'],
    ['TRUSTED_PROXIES', 'fe80::1%eth0'],
  ];

  test.each(bad)('%s=%s is one line that names the variable', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(new RegExp(`^${name} must be [^\n]+$`));
  });

  test('the message does not contain the address of a mail server', () => {
    expect(() => readConfig({ SMTP_URL: 'https://me:s3cret@corp.com' })).not.toThrow(/s3cret/);
  });

  test('one price for two plans', () => {
    const read = () => readConfig({ STRIPE_PRICE_STARTER: 'price_1', STRIPE_PRICE_SCALE: 'price_1' });
    expect(read).toThrow(/^STRIPE_PRICE_SCALE must differ from the prices of the other plans$/);
  });

  test('the message does not contain secrets for payments', () => {
    expect(() => readConfig({ STRIPE_SECRET_KEY: 'sk_live s3cret' })).not.toThrow(/s3cret/);
    expect(() => readConfig({ PUBLIC_URL: 'https://me:s3cret@corp.com' })).not.toThrow(/s3cret/);
  });

  test('the message does not contain an invalid key', () => {
    expect(() => readConfig({ BOOTSTRAP_API_KEY: `sluice_test_${SECRET}` })).not.toThrow(new RegExp(SECRET));
  });
});
