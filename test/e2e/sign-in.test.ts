/** Signing in to the real program: by the code in its log, and by one in a real mail. */
import { describe, expect, test } from 'bun:test';
import { SmtpInbox } from '../mail/smtp-inbox.ts';
import { KEY, newFolder, run, Server } from './server.ts';

const ANN = 'ann@corp.com';

const post = (server: Server, path: string, body: object) =>
  fetch(`${server.url}/v1/auth/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });

async function tokenOf(server: Server, code: string): Promise<string> {
  const response = await post(server, 'session', { email: ANN, code });
  expect(response.status).toBe(200);
  return ((await response.json()) as { token: string }).token;
}

/** Screens two rows with this token, and gives the plan that they were counted in. */
async function planOf(server: Server, token: string): Promise<string | null> {
  const response = await fetch(`${server.url}/v1/screen`, {
    method: 'POST',
    body: '{"source":"signed in","rows":[{"id":1},{"id":2}]}',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
  });
  return response.status === 200 ? response.headers.get('x-ratelimit-plan') : null;
}

async function loggedCode(server: Server): Promise<string> {
  expect((await post(server, 'otp', { email: ANN })).status).toBe(202);
  return (await server.prints(/ann@corp\.com\D*\b(\d{6})\b[^\n]*\n/))[1]!;
}

describe('without a mail server', () => {
  test('the code stands in the log, and the session outlives a restart until it is ended', async () => {
    const folder = newFolder();
    const first = await Server.start({}, folder);
    const token = await tokenOf(first, await loggedCode(first));
    expect(await planOf(first, token)).toBe('scale');
    expect(first.output).not.toContain(token);
    await first.kill('SIGTERM');
    await using second = await Server.start({}, folder);
    expect(await planOf(second, token)).toBe('scale');
    const headers = { Authorization: `Bearer ${token}` };
    const left = await fetch(`${second.url}/v1/auth/session`, { method: 'DELETE', headers });
    expect([left.status, await left.json()]).toEqual([200, { ok: true }]);
    expect(await planOf(second, token)).toBeNull();
  });

  test('the first address to sign in sees what was posted with the first key', async () => {
    await using server = await Server.start({ SIGNUPS: 'closed' });
    const { request_id: id } = await server.report('{"source":"orders","rows":[{"id":1}]}');
    const headers = { Authorization: `Bearer ${await tokenOf(server, await loggedCode(server))}` };
    const { jobs } = (await (await fetch(`${server.url}/v1/jobs`, { headers })).json()) as { jobs: object[] };
    expect(jobs).toMatchObject([{ id }]);
  });

  test('the bootstrap address signs in to the account of the key, also when it is named later', async () => {
    const folder = newFolder();
    const first = await Server.start({ SIGNUPS: 'closed' }, folder);
    await first.kill('SIGTERM');
    const later = { SIGNUPS: 'closed', BOOTSTRAP_API_KEY: '', BOOTSTRAP_EMAIL: ANN };
    await using second = await Server.start(later, folder);
    expect(await planOf(second, await tokenOf(second, await loggedCode(second)))).toBe('scale');
  });

  test('an address that signs in to another account already cannot be the bootstrap one', async () => {
    const folder = newFolder();
    const first = await Server.start({ BOOTSTRAP_EMAIL: 'bob@corp.com' }, folder);
    await tokenOf(first, await loggedCode(first));
    await first.kill('SIGTERM');
    for (const BOOTSTRAP_API_KEY of [KEY, '']) {
      const { code, stderr } = await run({ DATA_DIR: folder, BOOTSTRAP_API_KEY, BOOTSTRAP_EMAIL: ANN });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^BOOTSTRAP_EMAIL must be [^\n]+\n$/);
    }
  });
});

describe('with a mail server', () => {
  test('the code comes by mail, and is never logged', async () => {
    await using inbox = await SmtpInbox.open();
    await using server = await Server.start({
      SMTP_URL: inbox.url,
      MAIL_FROM: 'Sluice <s@corp.com>',
      LOG_LEVEL: 'trace',
    });
    await post(server, 'otp', { email: ANN });
    await inbox.has(1);
    const [{ from, to, message }] = inbox.received as [(typeof inbox.received)[0]];
    expect([from, to]).toEqual(['s@corp.com', [ANN]]);
    const code = /^(\d{6})\r$/m.exec(message)![1]!;
    expect(await planOf(server, await tokenOf(server, code))).toBe('developer');
    await server.kill('SIGTERM');
    expect(server.output).not.toMatch(new RegExp(`\\b${code}\\b`));
  });

  test('that is down the answer is the same, and an error is logged', async () => {
    const inbox = await SmtpInbox.open();
    const SMTP_URL = inbox.url;
    await inbox[Symbol.asyncDispose]();
    await using server = await Server.start({ SMTP_URL });
    expect((await post(server, 'otp', { email: ANN })).status).toBe(202);
    await server.prints(/"level":50[^\n]*a one-time code could not be sent/);
    expect(server.output).not.toMatch(/\b\d{6}\b/);
  });

  test('a mail that is under way when the program is stopped is still sent', async () => {
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await using inbox = await SmtpInbox.open({
      onRcptTo: async (_, __, done) => {
        asked.resolve();
        await held.promise;
        done();
      },
    });
    await using server = await Server.start({ SMTP_URL: inbox.url });
    await post(server, 'otp', { email: ANN });
    await asked.promise;
    const exited = server.kill('SIGTERM');
    await server.prints(/"stopping"/);
    held.resolve();
    expect(await exited).toBe(0);
    expect(inbox.received).toHaveLength(1);
  });

  test('a mail that takes longer than a stop may is given up, and the log says so', async () => {
    const asked = Promise.withResolvers<void>();
    await using inbox = await SmtpInbox.open({ onRcptTo: () => asked.resolve() });
    await using server = await Server.start({ SMTP_URL: inbox.url, DRAIN_SECONDS: '1' });
    await post(server, 'otp', { email: ANN });
    await asked.promise;
    expect(await server.kill('SIGTERM')).toBe(0);
    expect(server.output).toContain('mails and alerts in progress were abandoned');
    expect(inbox.received).toHaveLength(0);
  });
});
