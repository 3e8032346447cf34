/** What an account may keep: by its plan, or by the settings of the server. */
import { Rejection } from '../terms/errors.ts';
import type { Account, Bounds, Kept } from '../stores/ports.ts';
import { PLANS } from './plans.ts';

/** Settings of the server, which hold for every account; null: its plan decides. */
export interface StorageLimits {
  maxSources: number | null;
  maxBaselineBytes: number | null;
  maxReportBytes: number | null;
}

/** Bounds of what is kept of an account's sources. */
export function boundsOf({ plan }: Account, { maxSources, maxBaselineBytes }: StorageLimits): Bounds {
  const sources = maxSources ?? PLANS[plan].sources;
  const bytes = maxBaselineBytes ?? PLANS[plan].baselineBytes;
  const what = (bound: keyof Kept, kept: Kept) =>
    bound === 'sources'
      ? `has ${grouped(kept.sources)} sources of the ${grouped(sources)} that it may have`
      : `keeps ${mebibytes(kept.bytes)} of baselines, of the ${mebibytes(bytes)} that it may keep`;
  const refusal = (bound: keyof Kept, kept: Kept) =>
    new StorageExceeded(
      `The account ${what(bound, kept)}; nothing was stored or counted. Reset a source that is no longer needed ` +
        `(DELETE /v1/schema/{source}), or choose a larger plan; on your own server raise ${SETTINGS[bound]}`,
      { 'X-RateLimit-Plan': plan },
    );
  return { sources, bytes, refusal };
}

const SETTINGS: Record<keyof Kept, string> = { sources: 'MAX_SOURCES', bytes: 'MAX_BASELINE_BYTES' };

/** The rejection for want of room. */
export class StorageExceeded extends Rejection {
  constructor(message: string, headers: Record<string, string>) {
    super('PLAN_LIMIT_EXCEEDED', message, headers);
  }
}

export const reportBytesOf = ({ plan }: Account, { maxReportBytes }: StorageLimits): number =>
  maxReportBytes ?? PLANS[plan].reportBytes;

const grouped = (count: number): string => count.toLocaleString('en-US');
const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
