/** Starts one process that screens streams: stores → judge → gate. */
import type { Logger } from 'pino';
import { type Config, ConfigError } from '../config/config.ts';
import { Rejection } from '../terms/errors.ts';
import { urlOf } from '../http/first-steps.ts';
import { startHousekeeping } from './housekeeping.ts';
import { openMetrics } from '../metrics/open.ts';
import { serveMetrics } from '../metrics/serve.ts';
import { newAuthentication, newOutbox, openScreening, prepare, withTiming } from './service.ts';
import type { StreamConfig } from '../stream/config.ts';
import { Gate } from '../stream/gate.ts';
import { WAITS } from '../stream/in-time.ts';
import { Judge } from '../stream/judge.ts';
import { KafkajsKafka } from '../stream/kafka/kafkajs.ts';
import { StreamMeter } from '../stream/meter.ts';
import { openStores } from '../stores/open.ts';

const HOUSEKEEPING_EVERY_MS = 60_000;
const DELETED_AT_ONCE = 500;
/** Larger messages are not read, unless MAX_BODY_BYTES allows larger rows. */
const MESSAGE_BYTES = 16 * 1024 * 1024;

export interface StreamService {
  /** URL for Prometheus; null without one. */
  metricsUrl: string | null;
  /** Rejects with a bug. */
  failed: Promise<never>;
  /** Finishes the windows that are being screened, at most DRAIN_SECONDS. */
  stop(): Promise<void>;
}

/** `key`: whose account the jobs belong to. Throws `ConfigError`, `StoreError`, `StreamConfigError`, `KafkaFailure`. */
export async function startStream(
  stream: StreamConfig,
  key: string,
  config: Config,
  log: Logger,
): Promise<StreamService> {
  // The service may run beside us on the same files: both must see what the other has reserved.
  const shared = { ...config, isShared: true };
  const processMetrics = await openMetrics(config);
  const opened = await openStores(shared);
  const stores = processMetrics === null ? opened : withTiming(opened, processMetrics);
  await prepare(stores, config);
  const authentication = await newAuthentication(stores);
  const account = async () => (await authentication.identityOf(new Headers({ 'X-API-Key': key }))).account;
  await account().catch(error => {
    throw error instanceof Rejection ? new ConfigError(`SLUICE_KEY: ${error.message}`) : error;
  });
  const meter = new StreamMeter();
  const screening = await openScreening(config, stores, processMetrics, log);
  const judge = new Judge(stream, { ...config, ...stores, ...screening, account });
  const kafka = new KafkajsKafka(stream, Math.max(MESSAGE_BYTES, config.maxBodyBytes / 2), log);
  const gate = new Gate({
    config: stream,
    kafka,
    judge,
    meter,
    log,
    now: () => performance.now(),
    waits: WAITS,
  });
  const texts = async () => `${await processMetrics!.text()}\n${await meter.text()}`;
  const metricsServer = processMetrics === null ? null : serveMetrics(config, texts);
  const { idempotency } = stores;
  const answers = {
    name: 'answers to repeat',
    deleteSome: () => idempotency.prune(Date.now(), DELETED_AT_ONCE),
  };
  startHousekeeping([answers], HOUSEKEEPING_EVERY_MS, log);
  // There may be no service that sends alerts.
  const publicUrl = config.publicUrl ?? urlOf({ hostname: config.host, port: config.port });
  const outbox = newOutbox(stores, config, () => publicUrl, log);
  outbox.start();
  await gate.start();
  const stopped = () => Promise.all([gate.stop(), outbox.stop()]);
  return {
    metricsUrl: metricsServer?.url ?? null,
    failed: gate.failed,
    stop: async () => {
      await Promise.race([stopped(), Bun.sleep(config.drainSeconds * 1000)]);
    },
  };
}
