/** Logs one line for each request. It contains only our own names and numbers, and of the URL, headers and body nothing but the ids of a trace. */
import type { Logger } from 'pino';
import type { StageClock } from '../screen/stages.ts';
import type { RequestFacts } from './request-facts.ts';
import type { RequestOutcome } from './request-outcome.ts';

/** Routes that machines call every few seconds. */
const PROBES = new Set(['/v1/health', '/v1/ready', '/metrics']);

export function logRequest(request: RequestOutcome, log: Logger): void {
  const level = levelOf(request);
  if (log.isLevelEnabled(level)) log[level](lineOf(request), 'answered');
}

function levelOf({ route, status }: RequestOutcome): 'debug' | 'info' | 'warn' {
  if (status >= 500) return 'warn';
  return PROBES.has(route) ? 'debug' : 'info';
}

const lineOf = ({ method, route, status, ms, facts }: RequestOutcome) => ({
  id: facts.id,
  ...(facts.account !== null && { account: facts.account }),
  ...(facts.trace !== null && {
    trace: facts.trace.id,
    parent: facts.trace.parent,
    span: facts.trace.span,
  }),
  method,
  route,
  status,
  ...(facts.code !== null && { code: facts.code }),
  ms: rounded(ms),
  ...(facts.upload !== null && { bytes: facts.upload.bytes }),
  ...findings(facts),
  ...(facts.clock !== null && { stages: stages(facts.clock) }),
});

function findings({ screened }: RequestFacts) {
  if (screened === null) return {};
  const { status: verdict, health_score: health, stats } = screened.report;
  const { replayed } = screened;
  return { rows: stats.rows_received, verdict, health, ...(replayed && { replayed }) };
}

/** Stage times in ms. */
const stages = ({ ms }: StageClock): Record<string, number> =>
  Object.fromEntries([...ms].map(([stage, each]) => [stage, rounded(each)]));

/** Rounds to microseconds. */
const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
