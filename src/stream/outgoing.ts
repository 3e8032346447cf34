/** What is written of a window: its messages, in their order, and its verdicts. */

import type { Held, JudgedWindow, Verdict } from './judge.ts';
import type { HeaderValue, Message, MessageHeaders, Outgoing, TopicPartition } from './port.ts';

export interface Outputs {
  clean: TopicPartition;
  held: TopicPartition;
  verdicts: TopicPartition | null;
}

/** Longest reason in a header. */
const MAX_REASON_CHARACTERS = 1000;

/** Headers are text; names of fields are not ours. */
const inHeader = (text: string): string => text.slice(0, MAX_REASON_CHARACTERS).toWellFormed();

export function outgoingOf(
  window: readonly Message[],
  { held }: JudgedWindow,
  from: TopicPartition,
  outputs: Outputs,
): Outgoing[] {
  return window.map(message => {
    const { key, value, headers, timestamp } = message;
    const why = held.get(message);
    if (why === undefined) return { ...outputs.clean, key, value, headers, timestamp };
    return { ...outputs.held, key, value, headers: withReason(message, why, from), timestamp };
  });
}

function withReason(
  { headers, offset }: Message,
  { reason, requestId }: Held,
  { topic, partition }: TopicPartition,
): MessageHeaders {
  const added = {
    'sluice-reason': inHeader(reason),
    ...(requestId !== null && { 'sluice-request-id': requestId }),
    'sluice-source-topic': topic,
    'sluice-source-partition': String(partition),
    'sluice-source-offset': String(offset),
  };
  const all: MessageHeaders = { ...headers };
  for (const [name, value] of Object.entries(added)) all[name] = appended(all[name], value);
  return all;
}

/** A message may have been held before: readers take the last header of a name. */
function appended(
  before: HeaderValue | HeaderValue[] | undefined,
  value: string,
): HeaderValue | HeaderValue[] {
  if (before === undefined) return value;
  return Array.isArray(before) ? [...before, value] : [before, value];
}

export function verdictsOf(
  { verdicts }: JudgedWindow,
  from: TopicPartition,
  { verdicts: to }: Outputs,
): Outgoing[] {
  if (to === null) return [];
  return verdicts.map(verdict => ({
    ...to,
    key: Buffer.from(verdict.source),
    value: Buffer.from(JSON.stringify(eventOf(verdict, from))),
    headers: {},
    timestamp: String(Date.parse(verdict.report.timestamp)),
  }));
}

const eventOf = ({ report, source, offsets, rows, held }: Verdict, { topic, partition }: TopicPartition) => ({
  request_id: report.request_id,
  source,
  topic,
  offsets: { [partition]: offsets },
  status: report.status,
  health_score: report.health_score,
  reason: report.decision.reason,
  rows,
  held,
});
