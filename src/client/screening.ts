/** The answer to a screening: its shape, and how it is read. */
import { type Group, halves } from './batches.ts';
import type { Report } from './contract.ts';
import type { About } from './input.ts';
import { bodyIn, type Incoming } from './send.ts';
import { SluiceError, unexpected } from './sluice-error.ts';
import { VERDICTS } from '../terms/verdict.ts';
import { grouped } from '../terms/wording.ts';

export interface Screening {
  report: Report;
  /** The report as the server wrote it. */
  text: string;
  /** The account's plan. */
  plan: string;
  /** Rows that the plan has left. */
  rowsRemaining: number;
  /** Whether the server repeated its answer to an earlier, equal request. */
  replayed: boolean;
  /** Where the dashboard shows the report; empty after a dry run, which is not stored. */
  url: string;
}

/** The answer to one batch of many. */
export interface BatchScreening extends Screening {
  /** From 1. */
  batch: number;
  /** Rows of the input, from 1, both included. */
  firstRow: number;
  lastRow: number;
  /** Whether this is the last batch. */
  last: boolean;
}

/** `base`: the server's address. Throws `SluiceError` if the answer has no verdict, or a verdict on another source or number of rows than was sent. */
export function screeningIn(answer: Incoming, base: string, sent: About): Screening {
  const report = bodyIn<Report>(answer);
  if (!isVerdict(report))
    throw unexpected(answer, 'The answer has no verdict; is this the address of a Sluice server?');
  const other = otherThan(sent, report);
  if (other !== null) throw unexpected(answer, other);
  return {
    report,
    text: answer.text,
    plan: answer.headers.get('x-ratelimit-plan') ?? '',
    rowsRemaining: Number(answer.headers.get('x-ratelimit-remaining') ?? Number.NaN),
    replayed: answer.headers.get('idempotent-replayed') === 'true',
    url: report.stats.dry_run ? '' : `${base}/#/jobs/${report.request_id}`,
  };
}

/** An error message if the report is about another source or number of rows than was sent, as when a proxy mixes up answers; else null. */
export function otherThan({ source, rows }: About, { stats }: Report): string | null {
  const isSame =
    (source ?? stats.source) === stats.source && (rows ?? stats.rows_received) === stats.rows_received;
  if (isSame) return null;
  const sent = rows === null ? 'rows' : `${grouped(rows)} rows`;
  return `The answer is about ${grouped(stats.rows_received)} rows of '${stats.source}', and ${sent} of '${source}' were sent; does a proxy mix up answers?`;
}

/** Whether it has the members that every report has. */
export function isVerdict({ status, health_score, decision, stats }: Partial<Report>): boolean {
  return (
    VERDICTS.some(verdict => verdict === status) &&
    typeof health_score === 'number' &&
    typeof decision?.reason === 'string' &&
    typeof stats?.source === 'string' &&
    typeof stats.rows_received === 'number'
  );
}

/** A proxy answers with the status but not with our code. */
export const isTooLarge = (error: unknown): boolean => error instanceof SluiceError && error.status === 413;

/**
 * The halves of a batch that the server finds too large: its limits may be lower, and only it counts cells. Throws any other
 * error, with the rows that it concerns.
 */
export function halvesAfter(error: unknown, rows: Group, place: SluiceError['place']): [Group, Group] {
  if (!(error instanceof SluiceError)) throw error;
  if (isTooLarge(error) && rows.length > 1) return halves(rows);
  error.place = place;
  throw error;
}
