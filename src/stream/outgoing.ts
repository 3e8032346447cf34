/** What is written of a window: its messages, in their order, and its verdicts. */

import { MessageHeaders } from './headers.ts';
import type { Held, JudgedWindow, Verdict } from './judge.ts';
import type { Message, Outgoing, Refusal, TopicPartition } from './port.ts';

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
  const place = { from, to: outputs.held };
  return window.map(message => {
    const why = held.get(message);
    if (why !== undefined) return heldOf(message, why, place, null);
    const { key, value, headers, timestamp } = message;
    const instead = (refusal: Refusal) =>
      heldOf(message, { reason: reasonOf(refusal), requestId: null }, place, refusal);
    return { ...outputs.clean, key, value, headers, timestamp, instead };
  });
}

interface Place {
  from: TopicPartition;
  to: TopicPartition;
}

/** A message without a timestamp is accepted whatever limits a topic has for timestamps. */
const NO_TIMESTAMP = -1n;

const reasonOf = ({ kind, message }: Refusal): string => `${kind}: ${message}`;

/** `refusal`: why `clean`, or `held` itself, has refused the message before; null if neither has. */
function heldOf(message: Message, why: Held, place: Place, refusal: Refusal | null): Outgoing {
  const { key, value, timestamp } = message;
  const isTimeless = refusal?.isTimestamp === true;
  const headers = message.headers.with(headersOf(message, why, place, isTimeless));
  const instead = (again: Refusal): Outgoing =>
    again.isTimestamp && !isTimeless
      ? heldOf(message, why, place, again)
      : placeholderOf(message, `${reasonOf(again)}; it was to be held: ${why.reason}`, place);
  return { ...place.to, key, value, headers, timestamp: isTimeless ? NO_TIMESTAMP : timestamp, instead };
}

/** Replaces a message that cannot be written, and says where it is. Its key keeps it in a compacted topic. */
function placeholderOf(message: Message, reason: string, place: Place): Outgoing {
  const { topic, partition } = place.from;
  const key = Buffer.from(`${topic}/${partition}/${message.offset}`);
  const headers = MessageHeaders.NONE.with(headersOf(message, { reason, requestId: null }, place, true));
  return { ...place.to, key, value: Buffer.alloc(0), headers, timestamp: NO_TIMESTAMP, instead: null };
}

/** A message may have been held before: readers take the last header of a name. */
function headersOf(
  { offset, timestamp }: Message,
  { reason, requestId }: Held,
  { from }: Place,
  isTimeless: boolean,
): [name: string, value: string][] {
  const all: [string, string | null][] = [
    ['sluice-reason', inHeader(reason)],
    ['sluice-request-id', requestId],
    ['sluice-source-topic', from.topic],
    ['sluice-source-partition', String(from.partition)],
    ['sluice-source-offset', String(offset)],
    ['sluice-source-timestamp', isTimeless ? String(timestamp) : null],
  ];
  return all.filter((each): each is [string, string] => each[1] !== null);
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
    headers: MessageHeaders.NONE,
    timestamp: BigInt(Date.parse(verdict.report.timestamp)),
    instead: null,
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
