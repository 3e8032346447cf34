/** A session whose account, rate and connection do what the test says. */
import { expect, spyOn, test } from 'bun:test';
import { Rejection } from '../../src/terms/errors.ts';
import { MAX_READ_BYTES, RowBuffer } from '../../src/stream/socket/row-buffer.ts';
import { type Outlet, Session, type SessionDependencies } from '../../src/stream/socket/session.ts';
import { MAX_STREAM_BYTES, StreamBytes } from '../../src/stream/socket/stream-bytes.ts';

const ACCOUNT = { id: 'acc', plan: 'scale' } as Awaited<ReturnType<SessionDependencies['account']>>;
const OPEN = JSON.stringify({ type: 'open', source: 'a', window: { rows: 1, bytes: 1024 } });
const RESERVED = 2 * 1024 + MAX_READ_BYTES;
const ROW = Buffer.from('{"a":1}\n');

function start(change: Partial<SessionDependencies>) {
  const sent: { type: string; code?: string }[] = [];
  const bugs: unknown[] = [];
  const state = { isPaused: false };
  const outlet: Outlet = {
    send: frame => void sent.push(frame),
    flushed: () => Promise.resolve(),
    pause: () => {
      state.isPaused = true;
    },
    resume: () => {
      state.isPaused = false;
    },
    close: () => {},
  };
  const buffered = new StreamBytes();
  const deps = {
    now: () => 0,
    random: (bytes: number) => new Uint8Array(bytes),
    maxBodyBytes: 1024 * 1024,
    buffered,
    account: async () => ACCOUNT,
    bug: (error: unknown) => void bugs.push(error),
    ...change,
  } as SessionDependencies;
  const session = new Session(outlet, deps);
  return { session, sent, bugs, state, buffered };
}

/** Lets the account take no turn; `meanwhile`: while the session waits for it. */
function waiting(meanwhile: (session: Session) => void) {
  let turns = 0;
  const started = start({
    rates: {
      take: () => {
        turns++;
        return { allowed: false, remaining: 0, resetSeconds: 1, waitSeconds: 1 };
      },
    },
    sleep: async () => meanwhile(started.session),
  });
  return { ...started, turns: () => turns };
}

async function run({ session }: Pick<ReturnType<typeof start>, 'session'>): Promise<void> {
  session.text(OPEN);
  await Promise.resolve();
  await Promise.resolve();
  session.bytes(ROW);
  await session.ended;
}

test('a stream that waits for its rate ends when the process stops', async () => {
  const started = waiting(session => session.stop());
  await run(started);
  expect(started.sent.map(({ type, code }) => code ?? type)).toEqual(['opened', 'SERVICE_UNAVAILABLE']);
  expect([started.turns(), started.bugs]).toEqual([1, []]);
});

test('a window whose client leaves before its turn is not screened', async () => {
  const started = waiting(session => session.closed());
  await run(started);
  expect(started.sent.map(({ type }) => type)).toEqual(['opened']);
  expect([started.turns(), started.bugs]).toEqual([1, []]);
});

test('a bug is logged also when the client has left', async () => {
  const bug = new Error('not ours');
  const started = start({
    rates: {
      take: () => {
        started.session.closed();
        throw bug;
      },
    },
  });
  await run(started);
  expect(started.bugs).toEqual([bug]);
});

test('nothing is read or reserved before the key is checked; then what the stream may hold, until it ends', async () => {
  const key = Promise.withResolvers<typeof ACCOUNT>();
  const { session, sent, state, buffered } = start({ account: () => key.promise });
  session.text(OPEN);
  expect([state.isPaused, buffered.bytes, sent]).toEqual([true, 0, []]);
  key.resolve(ACCOUNT);
  await key.promise;
  await Promise.resolve();
  expect([state.isPaused, buffered.bytes, sent.map(({ type }) => type)]).toEqual([
    false,
    RESERVED,
    ['opened'],
  ]);
  session.closed();
  await session.ended;
  expect(buffered.bytes).toBe(0);
});

test('a stream that is refused gives back only what it has taken', async () => {
  const refused = start({ account: () => Promise.reject(new Rejection('AUTH_INVALID', 'no')) });
  refused.buffered.take(1);
  refused.session.text(OPEN);
  await refused.session.ended;
  expect([refused.sent.map(({ code }) => code), refused.buffered.bytes]).toEqual([['AUTH_INVALID'], 1]);
  for (const [fill, code] of [
    [(bytes: StreamBytes) => bytes.take(MAX_STREAM_BYTES), 'SERVICE_UNAVAILABLE'],
    [(bytes: StreamBytes) => bytes.assign(ACCOUNT.id, MAX_STREAM_BYTES), 'RATE_LIMITED'],
  ] as const) {
    const full = start({});
    fill(full.buffered);
    const before = full.buffered.bytes;
    full.session.text(OPEN);
    await full.session.ended;
    expect([full.sent.map(each => each.code), full.buffered.bytes]).toEqual([[code], before]);
  }
});

test.each([1024, 256 * 1024])(
  'rows of a stream with window.bytes %i take no more memory than it reserves',
  bytes => {
    const rows = new RowBuffer({ isCsv: false, delimiter: 0 }, { rows: 10_000, bytes });
    const read = Buffer.from(`${`{"a":"${'x'.repeat(500)}"}\n`.repeat(1100)}`).subarray(0, MAX_READ_BYTES);
    const allocated = spyOn(Buffer, 'allocUnsafe');
    try {
      for (let i = 0; i < 20; i++) {
        while (rows.isFull) rows.drop(rows.most);
        rows.add(read.subarray(0, read.lastIndexOf(0x0a) + 1));
      }
      const sizes = allocated.mock.calls.map(([size]) => size);
      expect(sizes.length).toBeGreaterThan(0);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(2 * bytes + MAX_READ_BYTES);
    } finally {
      allocated.mockRestore();
    }
  },
);
