/** Sends one delivery in the form that its channel takes. */
import { Webhook } from 'standardwebhooks';
import type { Channel, Delivery } from '../stores/ports.ts';
import { type Mail, mailOf, type Payload, slackOf } from './message.ts';
import { NotDelivered, Refused } from './answer.ts';
import { type PostOptions, post } from './post.ts';

export interface Sender extends PostOptions {
  /** Null without a mail server. */
  mail: ((to: string, mail: Mail) => Promise<void>) | null;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Throws `NotDelivered`, `Refused`, or the error of the mail server. */
export async function send(delivery: Delivery, channel: Channel, sender: Sender): Promise<void> {
  const payload = JSON.parse(delivery.payload) as Payload;
  if (channel.type === 'email') return sendMail(mailOf(payload, channel.name), channel, sender);
  const body = channel.type === 'slack' ? JSON.stringify(slackOf(payload)) : delivery.payload;
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Sluice',
    ...(channel.type === 'webhook' && signatureOf(delivery.id, body, channel, sender.now())),
  };
  await post({ url: channel.target, headers, body }, sender);
}

async function sendMail(mail: Mail, { target }: Channel, sender: Sender): Promise<void> {
  if (sender.mail === null) throw new NotDelivered('there is no mail server: the operator sets SMTP_URL');
  await sender.mail(target, mail).catch((error: MailError) => {
    throw isRefusal(error) ? new Refused(`${error.message}: it is not tried again`) : error;
  });
}

/** An error of the mailer. `permanent`: the server answered 5xx. */
type MailError = Error & { permanent?: boolean; command?: string };

/** Whether the server refuses the recipient or the text for good. A refused login or sender is no refusal: the operator can mend it. */
const isRefusal = ({ permanent, command }: MailError): boolean =>
  permanent === true && (command === 'RCPT TO' || command === 'DATA');

/** Headers of Standard Webhooks 1.0: a signature by each secret that still holds. */
export function signatureOf(
  id: string,
  body: string,
  { secrets }: Pick<Channel, 'secrets'>,
  now: number,
): Record<string, string> {
  const valid = secrets.filter(({ until }) => until === null || until > now);
  const signatures = valid.map(({ secret }) => new Webhook(secret).sign(id, new Date(now), body));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': signatures.join(' '),
  };
}
