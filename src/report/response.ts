/** An answer as it is sent, kept for a repeat, and sent again. */
import type { PlanName } from '../account/plans.ts';
import type { Replay } from '../stores/ports.ts';
import type { Mode } from '../options/options.ts';
import type { Verdict } from '../terms/verdict.ts';

export interface Response200 {
  headers: Record<string, string>;
  /** JSON. */
  body: string;
}

/** What the headers of an answer say of its report. */
export interface ReportHead {
  status: Verdict;
  /** 0..1, four decimals. */
  health: number;
  mode: Mode;
}

/** `remainingRows`: what is left of the plan's allowance after this request. `body`: the report, with its latency. */
export const responseOf = (
  { status, health, mode }: ReportHead,
  body: string,
  latencyMs: number,
  plan: PlanName,
  remainingRows: number,
): Response200 => ({
  headers: {
    'Content-Type': 'application/json',
    'X-Service-Status': status,
    'X-Service-Health': String(health),
    'X-Service-Mode': mode,
    'X-Service-Latency': `${latencyMs}ms`,
    'X-RateLimit-Plan': plan,
    'X-RateLimit-Remaining': String(remainingRows),
  },
  body,
});

/** The answer to an earlier request, once more. */
export const replayOf = ({ headers, body }: Replay): Response200 => ({
  headers: { ...headers, 'Idempotent-Replayed': 'true' },
  body,
});
