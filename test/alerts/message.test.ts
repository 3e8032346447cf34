import { expect, test } from 'bun:test';
import { failingMail, mailOf, type Payload, slackOf, testPayload } from '../../src/alerts/message.ts';

const UNSHOWABLE = /\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u;
const CHANNEL = 'on\u202ecall\r\nBcc: all@corp.com';

const payloadOf = (source: string) => {
  const payload = testPayload(0, 'https://sluice.test');
  return { ...payload, data: { ...payload.data, incident: { ...payload.data.incident, source } } };
};

test('the subject of a mail shows no name that changes its direction or adds a header', () => {
  const payload = payloadOf('orders\u202egnp.exe\u2028\r\nBcc: all@corp.com');
  const mails = [mailOf(payload, CHANNEL), failingMail(CHANNEL, 'https://a.test', 'it answered 500', false)];
  for (const { subject, text } of mails) {
    expect(subject).not.toMatch(UNSHOWABLE);
    expect(text.replaceAll('\n', '')).not.toMatch(UNSHOWABLE);
  }
  expect(mails[0]!.subject).toContain('orders\\u202egnp.exe\\u2028\\u000d\\u000aBcc: all@corp.com');
});

test('a message for Slack shows the name of a source as text, and calls nobody', () => {
  const message = slackOf(payloadOf('<!channel>\u202e<https://evil.test|orders>'));
  expect(message.text).toStartWith('&lt;!channel&gt;\\u202e&lt;https://evil.test|orders&gt;');
  expect(JSON.stringify(message)).not.toMatch(UNSHOWABLE);
});

test('a message says if the newest batch is less grave than the incident', () => {
  const { data } = payloadOf('orders');
  const said = (verdict: 'WARN' | 'BLOCK', status: Payload['data']['report']['status']) => {
    const incident = { ...data.incident, verdict, batches: 3, opened_at: '2026-11-21T12:00:00.000Z' };
    const report = { ...data.report, status };
    const { subject, text } = mailOf(
      { type: 'incident.updated', timestamp: '', data: { ...data, incident, report } },
      'a',
    );
    return [subject, text.split('\n')[2]];
  };
  const batches = '3 batches since 2026-11-21T12:00:00.000Z';
  expect(said('BLOCK', 'BLOCK')).toEqual(['Sluice: orders: still does not pass (BLOCK)', batches]);
  expect(said('BLOCK', 'WARN')).toEqual([
    'Sluice: orders: still does not pass (BLOCK)',
    `${batches}, the newest is WARN`,
  ]);
  expect(said('BLOCK', 'PASS')[1]).toBe(batches);
});
