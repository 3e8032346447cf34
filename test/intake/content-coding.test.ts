import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import '../property/seed.ts';
import { contentCoding, decompressed, type Piece } from '../../src/intake/content-coding.ts';
import { QUIET } from '../../src/intake/upload.ts';
import { BOMBS, bareDeflate, CODINGS, ENCODE, FLUSHED } from './codings.ts';

const MIB = 1024 * 1024;
const codingOf = (value: string) => contentCoding(new Headers({ 'Content-Encoding': value }));

describe('Content-Encoding', () => {
  test.each(CODINGS)('%s is known', coding => {
    expect(codingOf(coding)).toBe(coding);
    expect(codingOf(` ${coding.toUpperCase()} `)).toBe(coding);
  });

  test('x-gzip is gzip', () => {
    expect(codingOf('x-gzip')).toBe('gzip');
  });

  test.each(['', 'identity', 'Identity, identity', ','])('%p is none', value => {
    expect(codingOf(value)).toBeNull();
  });

  test('may be absent', () => {
    expect(contentCoding(new Headers())).toBeNull();
  });

  test('ignores identity beside a coding', () => {
    expect(codingOf('identity, br')).toBe('br');
  });

  test.each(['compress', 'brotli', 'gzip;q=1', 'constructor', '*', 'utf-8'])('%p is unknown', value => {
    expect(() => codingOf(value)).toThrow(/gzip, deflate, br, zstd/);
    expect(() => codingOf(value)).toThrow(value);
  });

  test.each(['gzip, br', 'gzip,gzip'])('%p is more than one', value => {
    expect(() => codingOf(value)).toThrow(/not several/);
  });

  test('that is rejected lists the known codings in a header', () => {
    try {
      codingOf('compress');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        status: 415,
        headers: { 'Accept-Encoding': 'gzip, deflate, br, zstd' },
      });
    }
  });
});

async function* each(pieces: Iterable<Piece>): AsyncGenerator<Piece> {
  yield* pieces;
}

const cut = (bytes: Uint8Array, at: number[]): Uint8Array[] => {
  const ends = [...new Set([...at.map(end => end % bytes.length), bytes.length])].sort((a, b) => a - b);
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end)).filter(piece => piece.length > 0);
};

async function bytesOf(pieces: Iterable<Piece>, coding: (typeof CODINGS)[number]): Promise<Buffer> {
  const out: Uint8Array[] = [];
  for await (const piece of decompressed(each(pieces), coding)) if (piece !== QUIET) out.push(piece);
  return Buffer.concat(out);
}

const damaged = { code: 'INVALID_ENCODING', status: 400 };

describe.each(CODINGS)('%s', coding => {
  const encode = ENCODE[coding];
  const whole = encode('a body, a body, a body');

  test('gives the body back for any cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 3000 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        async (body, at) => {
          const bytes = await bytesOf(cut(encode(body), at), coding);
          expect(bytes.equals(body)).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('gives a long body back', async () => {
    const body = Buffer.alloc(3 * MIB, 'all work and no play ');
    for (let i = 0; i < body.length; i += 7) body[i] = (i * i) >> 9;
    expect((await bytesOf(cut(encode(body), [1, 1000, 100_000]), coding)).equals(body)).toBe(true);
  });

  test('returns complete output before it reads the next bytes', async () => {
    let given = '';
    async function* body() {
      yield FLUSHED[coding]('all of it');
      expect(given).toBe('all of it');
      yield QUIET as Piece;
    }
    let pauses = 0;
    const drain = async () => {
      for await (const piece of decompressed(body(), coding))
        if (piece === QUIET) pauses++;
        else given += Buffer.from(piece).toString();
    };
    await expect(drain()).rejects.toMatchObject(damaged);
    expect(pauses).toBe(1);
  });

  test('that ends early is rejected at any point', async () => {
    for (let end = 0; end < whole.length; end++)
      await expect(
        bytesOf(
          cut(whole, [])
            .map(b => b.subarray(0, end))
            .filter(b => b.length > 0),
          coding,
        ),
      ).rejects.toMatchObject({
        ...damaged,
        message: `The body ends before the end of its ${coding} stream`,
      });
  });

  test('with bytes after its end is rejected for any cut into pieces', async () => {
    const more = Buffer.concat([whole, Buffer.from('{}')]);
    for (let at = 1; at < more.length; at++)
      await expect(bytesOf(cut(more, [at]), coding)).rejects.toMatchObject(damaged);
  });

  test.each(['{"source":"s","rows":[{"a":1}]}', '\n', '\0\0\0\0\0\0\0\0'])(
    'that is no such encoding is refused: %p',
    async text => {
      await expect(bytesOf([Buffer.from(text)], coding)).rejects.toMatchObject(damaged);
    },
  );

  test('that is a bomb can be cancelled, and costs little more than the output read', async () => {
    const bomb = await BOMBS[coding]();
    Bun.gc(true);
    const before = process.memoryUsage.rss();
    let taken = 0;
    let most = 0;
    for await (const piece of decompressed(each([bomb]), coding)) {
      taken += piece === QUIET ? 0 : piece.length;
      most = Math.max(most, process.memoryUsage.rss());
      if (taken > 32 * MIB) break;
    }
    expect(taken).toBeLessThan(34 * MIB);
    // The window and pieces not yet collected. All of the bomb would be 256 MiB and more.
    expect(most - before).toBeLessThan(128 * MIB);
  });

  test('cancels the body when its reader stops', async () => {
    let left = false;
    async function* body() {
      try {
        for (;;) yield FLUSHED[coding]('some') as Piece;
      } finally {
        left = true;
      }
    }
    for await (const _ of decompressed(body(), coding)) break;
    expect(left).toBe(true);
  });

  test('passes on the error that ends the body', async () => {
    async function* body() {
      yield FLUSHED[coding]('some') as Piece;
      throw new Error('gone');
    }
    const drain = async () => {
      for await (const _ of decompressed(body(), coding));
    };
    await expect(drain()).rejects.toThrow('gone');
  });
});

test('deflate may lack its zlib frame', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 300 }), fc.array(fc.nat()), async (text, at) => {
      expect((await bytesOf(cut(bareDeflate(text), at), 'deflate')).toString()).toBe(text.toWellFormed());
    }),
    { numRuns: 50 },
  );
});

test('gzip members and zstd frames may follow each other', async () => {
  const both = (coding: 'gzip' | 'zstd') => Buffer.concat([ENCODE[coding]('one '), ENCODE[coding]('two')]);
  expect((await bytesOf([both('gzip')], 'gzip')).toString()).toBe('one two');
  expect((await bytesOf([both('zstd')], 'zstd')).toString()).toBe('one two');
});

test('a wrong checksum is damage', async () => {
  const body = ENCODE.gzip('a body').map((byte, i, all) => (i === all.length - 8 ? byte ^ 1 : byte));
  await expect(bytesOf([body], 'gzip')).rejects.toMatchObject(damaged);
  const zlib = ENCODE.deflate('a body').map((byte, i, all) => (i === all.length - 1 ? byte ^ 1 : byte));
  await expect(bytesOf([zlib], 'deflate')).rejects.toMatchObject(damaged);
});

test('a zstd window over 128 MiB is rejected before it is allocated', async () => {
  const bomb = await BOMBS.zstd();
  bomb[5] = (31 - 10) << 3;
  await expect(bytesOf([bomb], 'zstd')).rejects.toMatchObject(damaged);
});

test('other requests run while one piece expands to many', async () => {
  const bomb = await BOMBS.br();
  let turns = 0;
  const other = () => {
    turns++;
    timer = setImmediate(other);
  };
  let timer = setImmediate(other);
  let taken = 0;
  for await (const piece of decompressed(each([bomb]), 'br')) {
    taken += piece === QUIET ? 0 : piece.length;
    const until = performance.now() + 1;
    while (performance.now() < until);
    if (taken > 4 * MIB) break;
  }
  clearImmediate(timer);
  expect(turns).toBeGreaterThan(3);
});
