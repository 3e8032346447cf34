import { describe, expect, test } from 'bun:test';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { codeMail } from '../../src/mail/code-mail.ts';
import { SmtpMailer } from '../../src/mail/smtp.ts';
import { SmtpInbox } from './smtp-inbox.ts';

const FROM = 'Sluice <sluice@corp.com>';

/** A server that sends one given text to each client, and then nothing. */
async function silentServer(greeting = '') {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.write(greeting);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url, [Symbol.dispose]: close };
}

describe('a mail with a code', () => {
  test('reaches a mail server', async () => {
    await using inbox = await SmtpInbox.open();
    await new SmtpMailer(inbox.url, FROM).sendCode('ann@corp.com', '012345');
    const [mail] = inbox.received;
    expect(mail).toMatchObject({ from: 'sluice@corp.com', to: ['ann@corp.com'] });
    const [head = '', text] = mail!.message.replaceAll('\r\n', '\n').split(/\n\n([\s\S]*)/);
    expect(head).toMatch(/^Subject: Your code to sign in to Sluice$/m);
    expect(head).toMatch(/^From: Sluice <sluice@corp\.com>$/m);
    expect(head).toMatch(/^To: ann@corp\.com$/m);
    expect(head).toMatch(/^Content-Type: text\/plain; charset=utf-8$/m);
    expect(head).toMatch(/^Content-Transfer-Encoding: 7bit$/m);
    expect(head).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(text).toBe(codeMail('012345').text);
    expect(text).toMatch(/^012345$/m);
  });

  test('is sent with the user and password of the URL', async () => {
    await using inbox = await SmtpInbox.open({
      authOptional: false,
      onAuth: ({ username, password }, _, done) =>
        username === 'me@corp.com' && password === 'p:w/d'
          ? done(null, { user: username })
          : done(new Error('no')),
    });
    const url = `smtp://me%40corp.com:p%3Aw%2Fd@127.0.0.1:${inbox.port}`;
    await new SmtpMailer(url, FROM).sendCode('ann@corp.com', '012345');
    expect(inbox.received).toMatchObject([{ user: 'me@corp.com', to: ['ann@corp.com'] }]);
    const wrong = new SmtpMailer(url.replace('p%3A', 'q'), FROM).sendCode('ann@corp.com', '012345');
    await expect(wrong).rejects.toThrow(/535/);
    expect(inbox.received).toHaveLength(1);
  });

  test('goes to one address, whatever the address contains', async () => {
    await using inbox = await SmtpInbox.open();
    const mailer = new SmtpMailer(inbox.url, FROM);
    await mailer.sendCode("o'neil+a/b=c@corp.com", '012345').catch(() => {});
    await mailer.sendCode('ann@corp.com;bob@corp.com', '012345').catch(() => {});
    await mailer.sendCode('ann@corp.com, bob@corp.com', '012345').catch(() => {});
    for (const { to } of inbox.received) expect(to).toHaveLength(1);
    expect(inbox.received[0]!.to).toEqual(["o'neil+a/b=c@corp.com"]);
    expect(inbox.received.flatMap(({ to }) => to)).not.toContain('bob@corp.com');
  });
});

describe('a server that fails is an error', () => {
  test('one that is down', async () => {
    const inbox = await SmtpInbox.open();
    const { url } = inbox;
    await inbox[Symbol.asyncDispose]();
    await expect(new SmtpMailer(url, FROM).sendCode('ann@corp.com', '012345')).rejects.toThrow(
      /ECONNREFUSED|connect/i,
    );
  });

  test('one that never greets', async () => {
    using server = await silentServer();
    const patient = { connect: 50, idle: 60_000, total: 60_000 };
    await expect(
      new SmtpMailer(server.url, FROM, patient).sendCode('ann@corp.com', '012345'),
    ).rejects.toThrow(/Connection timeout|Greeting never received/);
  });

  test('one that greets and then says nothing', async () => {
    using server = await silentServer('220 here\r\n');
    const patient = { connect: 60_000, idle: 50, total: 60_000 };
    await expect(
      new SmtpMailer(server.url, FROM, patient).sendCode('ann@corp.com', '012345'),
    ).rejects.toThrow(/timeout/i);
  });

  test('one that takes too long in total', async () => {
    using server = await silentServer('220 here\r\n');
    const patient = { connect: 60_000, idle: 60_000, total: 50 };
    await expect(
      new SmtpMailer(server.url, FROM, patient).sendCode('ann@corp.com', '012345'),
    ).rejects.toThrow(/abort/i);
  });

  test('one that rejects the address', async () => {
    await using inbox = await SmtpInbox.open({ onRcptTo: (_, __, done) => done(new Error('no such user')) });
    await expect(new SmtpMailer(inbox.url, FROM).sendCode('ann@corp.com', '012345')).rejects.toThrow(
      /no such user/,
    );
  });
});
