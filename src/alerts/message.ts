/** What is said of an incident: one payload, and the forms of it that each type of channel takes. */
import { escaped } from '../terms/errors.ts';
import type { Incident } from '../stores/ports.ts';
import type { IncidentEvent, Passed } from './incident.ts';

/** Of one batch: the newest. */
interface Report {
  request_id: string;
  status: 'PASS' | Incident['verdict'];
  health_score: number;
  reason: string;
}

/** The body of a webhook. */
export interface Payload {
  type: IncidentEvent | 'channel.test';
  timestamp: string;
  data: {
    incident: {
      id: string;
      source: string;
      status: Incident['status'];
      verdict: Incident['verdict'];
      opened_at: string;
      batches: number;
    };
    report: Report;
    /** The job in the dashboard. */
    url: string;
  };
}

/** What is shown of an incident. */
type Shown = Pick<
  Incident,
  | 'id'
  | 'source'
  | 'status'
  | 'verdict'
  | 'openedAt'
  | 'batches'
  | 'lastJob'
  | 'lastVerdict'
  | 'healthScore'
  | 'reason'
>;

/** `publicUrl`: of the service, without a trailing slash. `passed`: the batch that ended the incident, null while it is open. */
export function payloadOf(
  type: Payload['type'],
  incident: Shown,
  now: number,
  publicUrl: string,
  passed: Passed | null = null,
): Payload {
  const { id, source, status, verdict, openedAt, batches } = incident;
  const report = passed ? reportOfPassed(passed) : reportOf(incident);
  return {
    type,
    timestamp: dateTime(now),
    data: {
      incident: { id, source, status, verdict, opened_at: dateTime(openedAt), batches },
      report,
      url: `${publicUrl}/#/jobs/${report.request_id}`,
    },
  };
}

const reportOf = ({ lastJob, lastVerdict, healthScore, reason }: Shown): Report => ({
  request_id: lastJob,
  status: lastVerdict,
  health_score: healthScore,
  reason,
});

/** A batch that passed has no reason of its own. */
const reportOfPassed = ({ job, healthScore }: Passed): Report => ({
  request_id: job,
  status: 'PASS',
  health_score: healthScore,
  reason: 'The source passes again',
});

/** An invented incident, to try a channel with. */
export const testPayload = (now: number, publicUrl: string): Payload =>
  payloadOf(
    'channel.test',
    {
      id: `inc_${'0'.repeat(26)}`,
      source: 'example',
      status: 'open',
      verdict: 'WARN',
      openedAt: now,
      batches: 1,
      lastJob: `req_${'0'.repeat(26)}`,
      lastVerdict: 'WARN',
      healthScore: 0.9,
      reason: 'This is a test of the channel: nothing is wrong',
    },
    now,
    publicUrl,
  );

const HEADLINES: Record<Payload['type'], (source: string, verdict: string) => string> = {
  'incident.opened': (source, verdict) => `${source}: ${verdict}`,
  'incident.updated': (source, verdict) => `${source}: still does not pass (${verdict})`,
  'incident.resolved': source => `${source}: passes again`,
  'channel.test': source => `${source}: a test of this channel`,
};

const headlineOf = ({ type, data: { incident } }: Payload): string =>
  HEADLINES[type](escaped(incident.source), incident.verdict);

/** The verdict of an incident is the gravest of its batches; the reason beside it is that of the newest. */
function batchesOf({ data: { incident, report } }: Payload): string {
  const batches = `${incident.batches} ${incident.batches === 1 ? 'batch' : 'batches'} since ${incident.opened_at}`;
  const isLighter = report.status !== 'PASS' && report.status !== incident.verdict;
  return isLighter ? `${batches}, the newest is ${report.status}` : batches;
}

export interface Mail {
  subject: string;
  text: string;
}

/** As a mail of plain text. */
export function mailOf(payload: Payload, channelName: string): Mail {
  const { report, url } = payload.data;
  return {
    subject: `Sluice: ${headlineOf(payload)}`,
    text: [
      report.reason,
      '',
      batchesOf(payload),
      url,
      '',
      `This mail comes from the alert channel "${escaped(channelName)}". Its owner can change or delete it.`,
      '',
    ].join('\n'),
  };
}

/** To the owner of a channel that could not be reached for a day, or that refused a message. */
export const failingMail = (
  channelName: string,
  target: string,
  error: string,
  isRefused: boolean,
): Mail => ({
  subject: `Sluice: the alert channel "${escaped(channelName)}" does not work`,
  text: [
    isRefused ? `An alert to ${target} was refused.` : `No alert could be delivered to ${target} for a day.`,
    `The last attempt: ${error}`,
    '',
    'Further alerts are still tried. When one arrives, the channel counts as working again.',
    '',
  ].join('\n'),
});

/** Slack's limit of a section is 3,000 characters, and of a header 150. */
const MAX_SECTION = 2900;
const MAX_HEADER = 150;

/** As a message of a Slack-compatible incoming webhook, in Block Kit. Texts of the payload are shown as they are. */
export function slackOf(payload: Payload): { text: string; blocks: unknown[] } {
  const headline = headlineOf(payload);
  const { report, url } = payload.data;
  const plain = (text: string, most: number) => ({ type: 'plain_text', text: cut(text, most), emoji: false });
  return {
    text: withoutMarkup(cut(headline, MAX_SECTION)),
    blocks: [
      { type: 'header', text: plain(headline, MAX_HEADER) },
      { type: 'section', text: plain(report.reason || headline, MAX_SECTION) },
      { type: 'context', elements: [plain(batchesOf(payload), MAX_SECTION)] },
      { type: 'section', text: { type: 'mrkdwn', text: `<${withoutMarkup(url)}|Open the batch>` } },
    ],
  };
}

/** As Slack asks: otherwise a source named `<!channel>` would call everyone. */
const withoutMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;

const dateTime = (ms: number): string => new Date(ms).toISOString();
