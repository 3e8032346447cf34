/** `describe` for suites that need Kafka: without its jars they are reported as skipped. */
import { describe } from 'bun:test';
import { hasKafka } from '../servers/kafka.ts';

export const describeWithKafka = hasKafka() ? describe : describe.skip;

/** A JVM starts within seconds, or half a minute on a busy machine. */
export const STARTS_MS = 240_000;
