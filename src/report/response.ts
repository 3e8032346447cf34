/** An answer as it is sent, kept for a repeat, and sent again. */
import type { PlanName } from '../account/plans.ts';
import type { Replay } from '../stores/ports.ts';
import type { Report } from '../contract/report.ts';

export interface Response200 {
  headers: Record<string, string>;
  /** JSON. */
  body: string;
}

/** `remainingRows`: what is left of the plan's allowance after this request. */
export const responseOf = (report: Report, plan: PlanName, remainingRows: number): Response200 => ({
  headers: {
    'Content-Type': 'application/json',
    'X-Service-Status': report.status,
    'X-Service-Health': String(report.health_score),
    'X-Service-Mode': report.gate?.mode ?? 'contract',
    'X-Service-Latency': `${report.latency_ms}ms`,
    'X-RateLimit-Plan': plan,
    'X-RateLimit-Remaining': String(remainingRows),
  },
  body: JSON.stringify(report),
});

/** The answer to an earlier request, once more. */
export const replayOf = ({ headers, body }: Replay): Response200 => ({
  headers: { ...headers, 'Idempotent-Replayed': 'true' },
  body,
});
