import { beforeEach, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import pino from 'pino';
import '../property/seed.ts';
import {
  ASKS_PER_NETWORK,
  CODES_PER_DOMAIN,
  CODES_PER_MAILBOX,
  CODES_PER_SERVICE,
} from '../../src/account/code-bounds.ts';
import { emailIn } from '../../src/account/email.ts';
import { secretSha256 } from '../../src/account/keys.ts';
import { RateLimiter } from '../../src/stores/rates.ts';
import { SignIn, type SignInDependencies } from '../../src/account/sign-in.ts';
import { SqlIdentities } from '../../src/stores/sql/identities.ts';
import { SqlSignIn } from '../../src/stores/sql/sign-in.ts';
import { newDatabase } from '../http/service.ts';

const ANN = 'ann@corp.com';
const BOB = 'bob@corp.com';
const HERE = '192.0.2.1';
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WRONG = { code: 'AUTH_INVALID', message: 'The code is wrong, used or expired: request a new one' };

/** Sign-in over a real database, with a clock that is set by hand and mail that stays here. */
class Desk {
  now = 1_790_000_000_000;
  readonly mails: { email: string; code: string }[] = [];
  readonly logged: string[] = [];
  /** Of baselines, in every account. */
  keptBytes = 0;
  readonly #database = newDatabase();
  readonly client = this.#database.client;
  readonly store = new SqlSignIn(this.#database.database);
  readonly identities = new SqlIdentities(this.#database.database);
  readonly signIn: SignIn;

  constructor(change: Partial<SignInDependencies> = {}) {
    this.signIn = new SignIn({
      store: this.store,
      baselines: { kept: async () => ({ sources: 0, bytes: this.keptBytes }) },
      mailer: { sendCode: async (email, code) => void this.mails.push({ email, code }) },
      rates: new RateLimiter(),
      signups: 'open',
      signupPlan: 'developer',
      codesAreLogged: false,
      now: () => this.now,
      random: randomBytes,
      log: pino({}, { write: (line: string) => this.logged.push(line) }),
      ...change,
    });
  }

  /** Requests a code and returns the mail. */
  async ask(email = ANN, client = HERE): Promise<string | undefined> {
    const before = this.mails.length;
    await this.signIn.ask(email, client);
    await this.signIn.sent();
    return this.mails[before]?.code;
  }

  /** The id of the account that a code lets in to. */
  async enter(email: string, code: string): Promise<string> {
    const { token } = await this.signIn.open(email, code);
    return (await this.identities.ownerOfSession(secretSha256(token), this.now))!.account.id;
  }

  count(table: string): number {
    return (this.client.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
  }
}

/** Another code, never the same. */
const wrong = (code: string): string => code.replace(/^./, digit => String((Number(digit) + 1) % 10));

let desk: Desk;
beforeEach(() => {
  desk = new Desk();
});

describe('where codes go to the log', () => {
  test('the first address gets the account of the first key, and those after it their own', async () => {
    desk = new Desk({ codesAreLogged: true, signupPlan: 'growth' });
    expect(await desk.enter(ANN, (await desk.ask(ANN))!)).toBe('owner');
    const bob = await desk.enter(BOB, (await desk.ask(BOB))!);
    expect(bob).not.toBe('owner');
    const plan = desk.client.query('SELECT plan FROM accounts WHERE id = ?').get(bob);
    expect(plan).toEqual({ plan: 'growth' });
    expect(await desk.enter(ANN, (await desk.ask(ANN))!)).toBe('owner');
  });

  test('so it is with closed sign-ups, and then nobody else may sign in', async () => {
    desk = new Desk({ codesAreLogged: true, signups: 'closed' });
    expect(await desk.enter(ANN, (await desk.ask(ANN))!)).toBe('owner');
    expect(await desk.ask(BOB)).toBeUndefined();
  });

  test('two addresses at once do not both get it', async () => {
    desk = new Desk({ codesAreLogged: true });
    const codes = [(await desk.ask(ANN))!, (await desk.ask(BOB))!] as const;
    const accounts = await Promise.all([desk.enter(ANN, codes[0]), desk.enter(BOB, codes[1])]);
    expect(accounts.filter(account => account === 'owner')).toHaveLength(1);
  });

  test('an address that BOOTSTRAP_EMAIL named keeps it', async () => {
    desk = new Desk({ codesAreLogged: true });
    await desk.identities.ensureEmail('owner', BOB);
    expect(await desk.enter(ANN, (await desk.ask(ANN))!)).not.toBe('owner');
  });
});

test('where codes are mailed, no address gets the account of the first key', async () => {
  expect(await desk.enter(ANN, (await desk.ask())!)).not.toBe('owner');
});

describe('a code', () => {
  test('opens a session of seven days, for an account of its own', async () => {
    const { token, expiresAt } = await desk.signIn.open(ANN, (await desk.ask())!);
    expect(expiresAt).toBe(desk.now + 7 * DAY);
    const owner = (at: number) => desk.identities.ownerOfSession(secretSha256(token), at);
    expect(await owner(expiresAt - 1)).toMatchObject({
      account: { plan: 'developer' },
      key: null,
      expiresAt,
    });
    expect(await owner(expiresAt)).toBeNull();
  });

  test('opens the same account for the same address, and another for another address', async () => {
    const ann = await desk.enter(ANN, (await desk.ask())!);
    expect(await desk.enter(ANN, (await desk.ask())!)).toBe(ann);
    expect(await desk.enter(BOB, (await desk.ask(BOB))!)).not.toBe(ann);
  });

  test('works once', async () => {
    const code = (await desk.ask())!;
    await desk.enter(ANN, code);
    await expect(desk.enter(ANN, code)).rejects.toMatchObject(WRONG);
  });

  test('opens one session for many requests at once', async () => {
    const code = (await desk.ask())!;
    const opened = await Promise.allSettled(Array.from({ length: 5 }, () => desk.signIn.open(ANN, code)));
    expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(desk.count('sessions')).toBe(1);
  });

  test('works for ten minutes', async () => {
    const code = (await desk.ask())!;
    desk.now += 10 * MINUTE - 1;
    await desk.enter(ANN, code);
    const late = (await desk.ask())!;
    desk.now += 10 * MINUTE;
    await expect(desk.enter(ANN, late)).rejects.toMatchObject(WRONG);
  });

  test('allows five tries', async () => {
    const code = (await desk.ask())!;
    for (let i = 0; i < 4; i++) await expect(desk.enter(ANN, wrong(code))).rejects.toMatchObject(WRONG);
    await desk.enter(ANN, code);
    const next = (await desk.ask())!;
    for (let i = 0; i < 5; i++) await expect(desk.enter(ANN, wrong(next))).rejects.toMatchObject(WRONG);
    await expect(desk.enter(ANN, next)).rejects.toMatchObject(WRONG);
  });

  test('is rejected for another address', async () => {
    const code = (await desk.ask())!;
    await desk.ask(BOB);
    await expect(desk.enter(BOB, wrong(code))).rejects.toMatchObject(WRONG);
    await expect(desk.enter('carl@corp.com', code)).rejects.toMatchObject(WRONG);
  });

  test('still works after a newer one was sent', async () => {
    const codes = [(await desk.ask())!, (await desk.ask())!];
    await desk.enter(ANN, codes[0]!);
    await expect(desk.enter(ANN, codes[1]!)).rejects.toMatchObject(WRONG);
  });

  test('is stored only as a hash, like a token', async () => {
    const code = (await desk.ask())!;
    const { token } = await desk.signIn.open(ANN, code);
    const kept = JSON.stringify(
      ['codes', 'sessions'].map(table => desk.client.query(`SELECT * FROM ${table}`).all()),
    );
    expect(kept).toContain(secretSha256(token));
    expect(kept).not.toContain(token);
    expect(kept).not.toMatch(new RegExp(`\\b${code}\\b`));
  });
});

describe('requesting a code', () => {
  test('sends five codes per hour to an address, and silently drops the sixth', async () => {
    for (let i = 0; i < 7; i++) await desk.ask(ANN, `client ${i}`);
    expect(desk.mails).toHaveLength(5);
    desk.now += HOUR - 1;
    expect(await desk.ask()).toBeUndefined();
    desk.now += 1;
    expect(await desk.ask()).toBeString();
  });

  test('sends no sixth code for concurrent requests', async () => {
    await Promise.all(Array.from({ length: 16 }, (_, i) => desk.signIn.ask(ANN, `client ${i}`)));
    await desk.signIn.sent();
    expect(desk.mails).toHaveLength(5);
  });

  test('is rejected after twenty requests of a client in an hour, with the time to wait', async () => {
    for (let i = 0; i < 20; i++) {
      await desk.ask(i % 2 ? ANN : `user${i}@corp.com`);
      desk.now += MINUTE;
    }
    const refused = desk.ask('new@corp.com');
    await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMITED', headers: { 'Retry-After': '60' } });
    expect(await desk.ask('new@corp.com', 'another client')).toBeString();
    desk.now += 2400 * SECOND;
    expect(await desk.ask('new@corp.com')).toBeString();
    await expect(desk.ask('new@corp.com')).rejects.toMatchObject({ headers: { 'Retry-After': '60' } });
  });

  test('has the same limit for concurrent requests of a client', async () => {
    const asked = Array.from({ length: 30 }, (_, i) => desk.signIn.ask(`user${i}@corp.com`, HERE));
    const refused = (await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(10);
    for (const each of refused) expect(each).toMatchObject({ reason: { headers: { 'Retry-After': '60' } } });
    await desk.signIn.sent();
    expect(desk.mails).toHaveLength(20);
  });

  test('does not wait for the mail', async () => {
    const sent = Promise.withResolvers<void>();
    const waiting = new Desk({ mailer: { sendCode: () => sent.promise } });
    await waiting.signIn.ask(ANN, HERE);
    sent.resolve();
    await waiting.signIn.sent();
  });

  test('starts the mail only after the answer', async () => {
    await desk.signIn.ask(ANN, HERE);
    await Promise.resolve();
    expect(desk.mails).toEqual([]);
    await desk.signIn.sent();
    expect(desk.mails).toHaveLength(1);
  });

  test('succeeds if the mail fails, and logs the failure without the code', async () => {
    let code = '';
    const mailer = {
      sendCode: (_: string, sent: string) => {
        code = sent;
        return Promise.reject(new Error(`550 will not take ${sent}`));
      },
    };
    const failing = new Desk({ mailer });
    await failing.signIn.ask(ANN, HERE);
    await failing.signIn.sent();
    expect(code).toMatch(/^\d{6}$/);
    expect(JSON.parse(failing.logged[0]!)).toMatchObject({ level: 50, reason: '550 will not take ******' });
    expect(failing.logged.join()).not.toContain(code);
  });
});

test('who signs in while the address moves to the account of a key is signed in there', async () => {
  await desk.enter(ANN, (await desk.ask())!);
  const sha256 = 'cd'.repeat(32);
  desk.client.run(`INSERT INTO keys VALUES ('key_1', 'owner', 'key', '', '${sha256}', 0, NULL)`);
  const code = (await desk.ask())!;
  const opening = desk.store.openSession.bind(desk.store);
  desk.store.openSession = async session => {
    // The account was looked up before.
    desk.store.openSession = opening;
    expect(await desk.store.moveAddress(session.account, ANN, 'owner', sha256)).toBe(true);
    await opening(session);
  };
  expect(await desk.enter(ANN, code)).toBe('owner');
});

describe('new addresses', () => {
  /** One of a network of its own. */
  const client = (n: number) => `10.${n >> 8}.${n & 255}.1`;
  const askEach = async (emails: readonly string[], from = 0) => {
    for (const [n, email] of emails.entries()) await desk.ask(email, client(from + n));
  };

  test('of one mailbox get five codes together, however they are written', async () => {
    const tagged = Array.from({ length: 40 }, (_, n) => `ann.lee+${n}@gmail.com`);
    const dotted = Array.from({ length: 10 }, (_, n) =>
      `annlee@gmail.com`.replace(/^(.{3})/, `$1${n % 2 ? '.' : ''}`),
    );
    const cased = ['ANN.LEE@Gmail.com', 'annlee@googlemail.com', 'a.n.n.l.e.e+x@ＧＭＡＩＬ.com'].map(
      text => emailIn(text)!,
    );
    await askEach([...tagged, ...dotted, ...cased]);
    expect(desk.mails).toHaveLength(CODES_PER_MAILBOX);
    expect(JSON.parse(desk.logged[0]!)).toMatchObject({ level: 40, bound: 'mailbox' });
    expect(desk.logged.join()).not.toContain('gmail');
    desk.now += HOUR / CODES_PER_MAILBOX - 1;
    expect(await desk.ask('annlee+late@gmail.com', client(99))).toBeUndefined();
    desk.now += 1;
    expect(await desk.ask('annlee+late@gmail.com', client(99))).toBeString();
  });

  test(`of one domain get ${CODES_PER_DOMAIN} codes together, and those of a public provider are counted apart`, async () => {
    const at = (domain: string) =>
      Array.from({ length: CODES_PER_DOMAIN + 1 }, (_, n) => `user${n}@${domain}`);
    await askEach(at('corp.com'));
    expect(desk.mails.map(({ email }) => email)).toEqual(at('corp.com').slice(0, -1));
    await askEach(at('outlook.com'), 100);
    expect(desk.mails).toHaveLength(2 * CODES_PER_DOMAIN + 1);
    expect(desk.logged.map(line => JSON.parse(line).bound)).toEqual(['domain']);
  });

  test(`get ${CODES_PER_SERVICE} codes from the service together`, async () => {
    await askEach(Array.from({ length: CODES_PER_SERVICE + 1 }, (_, n) => `user@corp${n}.com`));
    expect(desk.mails).toHaveLength(CODES_PER_SERVICE);
    expect(desk.logged.map(line => JSON.parse(line).bound)).toEqual(['service']);
  });

  test('that use up all counts take no code from an address with an account', async () => {
    await desk.enter(ANN, (await desk.ask(ANN))!);
    await askEach(Array.from({ length: 6 }, (_, n) => `ann+${n}@corp.com`));
    await askEach(
      Array.from({ length: 30 }, (_, n) => `user${n}@corp.com`),
      20,
    );
    await askEach(
      Array.from({ length: CODES_PER_SERVICE }, (_, n) => `user@corp${n}.com`),
      100,
    );
    const bounds = desk.logged.map(line => JSON.parse(line).bound as string);
    expect([...new Set(bounds)].toSorted()).toEqual(['domain', 'mailbox', 'service']);
    // One of its five was used.
    for (let n = 0; n < 4; n++) expect(await desk.ask(ANN, client(900 + n))).toBeString();
    expect(await desk.ask(ANN, client(999))).toBeUndefined();
  });
});

test.each([
  ['IPv4', '192.0.2.0/24', (n: number) => `192.0.2.${n}`],
  ['IPv6', '2001:db8:7::/48', (n: number) => `2001:db8:7:${n.toString(16)}::/64`],
])(`an %s network may ask for ${ASKS_PER_NETWORK} codes an hour`, async (_, network, client) => {
  for (let n = 0; n < ASKS_PER_NETWORK; n++) await desk.ask(`user@corp${n}.com`, client(n));
  const message = `A network, yours is ${network}, may request ${ASKS_PER_NETWORK} codes per hour: try again in 60 seconds`;
  for (const email of ['new@corp.com', 'user@corp1.com'])
    await expect(desk.ask(email, client(200))).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message,
      headers: { 'Retry-After': '60' },
    });
  expect(await desk.ask('new@corp.com', '198.51.100.1')).toBeString();
  desk.now += MINUTE;
  expect(await desk.ask('newer@corp.com', client(200))).toBeString();
});

describe('with closed sign-ups', () => {
  beforeEach(() => {
    desk = new Desk({ signups: 'closed' });
    desk.client.run("UPDATE accounts SET email = ? WHERE id = 'owner'", [ANN]);
  });

  test('an address with an account gets a code and signs in', async () => {
    expect(await desk.enter(ANN, (await desk.ask())!)).toBe('owner');
  });

  test('an unknown address gets no code and no account, and counts like any other', async () => {
    for (let i = 0; i < 20; i++) expect(await desk.ask(i < 7 ? BOB : `user${i}@corp.com`)).toBeUndefined();
    await expect(desk.ask(BOB)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await desk.store.accountOfEmail(BOB)).toBeNull();
  });

  test('a wrong code costs the store the same for an unknown address', async () => {
    const tries = () => desk.client.query('SELECT email, tries FROM codes ORDER BY email').all();
    await desk.ask(ANN);
    await desk.ask(BOB);
    for (const email of [ANN, BOB]) await expect(desk.enter(email, 'x')).rejects.toMatchObject(WRONG);
    expect(tries()).toEqual([
      { email: ANN, tries: 1 },
      { email: BOB, tries: 1 },
    ]);
  });

  test('a code from when sign-ups were open does not work', async () => {
    const open = new Desk();
    const code = (await open.ask(BOB))!;
    const closed = new Desk({ signups: 'closed', store: open.store });
    await expect(closed.signIn.open(BOB, code)).rejects.toMatchObject(WRONG);
  });
});

describe('expiry', () => {
  test('codes are deleted when they no longer count, sessions when they have ended', async () => {
    await desk.enter(ANN, (await desk.ask())!);
    desk.now += HOUR;
    expect(await desk.signIn.deleteSome(10)).toBe(0);
    desk.now += 1;
    expect(await desk.signIn.deleteSome(10)).toBe(1);
    expect([desk.count('codes'), desk.count('sessions')]).toEqual([0, 1]);
    desk.now += 7 * DAY - HOUR - 1;
    expect(await desk.signIn.deleteSome(10)).toBe(1);
    expect(desk.count('sessions')).toBe(0);
  });
});

/** What anybody may do, in any order. */
const act = fc.oneof(
  fc.record({
    kind: fc.constant('ask' as const),
    email: fc.constantFrom(ANN, BOB),
    client: fc.constantFrom('x', 'y'),
  }),
  fc.record({ kind: fc.constant('guess' as const), email: fc.constantFrom(ANN, BOB) }),
  fc.record({ kind: fc.constant('enter' as const), email: fc.constantFrom(ANN, BOB), which: fc.nat(4) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 20 * MINUTE }) }),
  fc.record({ kind: fc.constant('sweep' as const) }),
);

/** What the rules say, over a plain list of all codes that were ever sent. */
class Expected {
  readonly sent: { email: string; code: string; at: number; tries: number; used: boolean }[] = [];
  readonly asks: { client: string; at: number }[] = [];

  asked(client: string, now: number): number {
    return this.asks.filter(ask => ask.client === client && ask.at > now - HOUR).length;
  }

  had(email: string, now: number): number {
    return this.sent.filter(each => each.email === email && each.at > now - HOUR).length;
  }

  /** Whether the code lets in; what that changes is noted. */
  enters(email: string, code: string, now: number): boolean {
    const live = this.sent.filter(
      each => each.email === email && !each.used && each.tries < 5 && now < each.at + 10 * MINUTE,
    );
    for (const each of live) each.tries++;
    const right = live.some(each => each.code === code);
    if (right) for (const each of this.sent) if (each.email === email) each.used = true;
    return right;
  }
}

test('any sequence of actions keeps the rules', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 80 }), async acts => {
      const real = new Desk();
      const expected = new Expected();
      const enters = (email: string, code: string) =>
        real.signIn.open(email, code).then(
          () => true,
          () => false,
        );
      for (const each of acts) {
        if (each.kind === 'wait') real.now += each.ms;
        else if (each.kind === 'sweep') await real.signIn.deleteSome(3);
        else if (each.kind === 'ask') {
          const { email, client } = each;
          const allowed = expected.asked(client, real.now) < 20;
          const room = expected.had(email, real.now) < 5;
          const code = await real.ask(email, client).catch(() => null);
          expect(code === null).toBe(!allowed);
          if (allowed) expected.asks.push({ client, at: real.now });
          if (allowed) expect(code !== undefined).toBe(room);
          if (code) expected.sent.push({ email, code, at: real.now, tries: 0, used: false });
        } else {
          const { email } = each;
          const mine = expected.sent.filter(sent => sent.email === email);
          const code = each.kind === 'guess' ? 'no code' : (mine.at(-1 - each.which)?.code ?? 'none yet');
          expect(await enters(email, code)).toBe(expected.enters(email, code, real.now));
        }
      }
      real.client.close();
    }),
    { numRuns: 40 },
  );
});
