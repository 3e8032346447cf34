import { describe, expect, test } from 'bun:test';
import { QUIET, Upload, type UploadLimits } from '../../src/intake/upload.ts';

const LIMITS: UploadLimits = { maxBodyBytes: 100, bodyStallSeconds: 10, bodySeconds: 120 };
const ALL = { quietMs: 1000, totalMs: 1000, bytes: 1000 };

/** A body that a test sends piece by piece. */
class Body {
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  readonly stream = new ReadableStream<Uint8Array>({
    start: controller => {
      this.#controller = controller;
    },
  });

  send(length: number): void {
    this.#controller.enqueue(new Uint8Array(length));
  }

  end(): void {
    this.#controller.close();
  }

  breakOff(): void {
    this.#controller.error(new DOMException('The connection was closed.', 'AbortError'));
  }
}

describe('a body', () => {
  test('arrives in pieces and then ends', async () => {
    const body = new Body();
    const upload = new Upload(body.stream, LIMITS);
    body.send(3);
    body.send(4);
    body.end();
    expect(await upload.next()).toHaveLength(3);
    expect(await upload.next()).toHaveLength(4);
    expect(upload.ended).toBe(false);
    expect(await upload.next()).toBeNull();
    expect(upload.ended).toBe(true);
    expect(await upload.next()).toBeNull();
  });

  test('that is absent has ended already', async () => {
    const upload = new Upload(null, LIMITS);
    expect(upload.ended).toBe(true);
    expect(await upload.next()).toBeNull();
  });

  test('returns its first piece once after waiting for the first byte', async () => {
    const body = new Body();
    const upload = new Upload(body.stream, LIMITS);
    body.send(3);
    body.end();
    await upload.waitForFirstByte();
    expect(await upload.next()).toHaveLength(3);
    expect(await upload.next()).toBeNull();
  });

  test('is hashed in order as it arrives, with the first piece once', async () => {
    const upload = new Upload(new Blob(['one ', 'two ', 'three']).stream(), LIMITS);
    const seen: Uint8Array[] = [];
    upload.hashInto({ update: bytes => seen.push(bytes) });
    await upload.waitForFirstByte();
    while ((await upload.next()) !== null);
    expect(Buffer.concat(seen).toString()).toBe('one two three');
  });

  test('loses no piece to a pause', async () => {
    const body = new Body();
    const upload = new Upload(body.stream, LIMITS);
    expect(await upload.next(1)).toBe(QUIET);
    expect(await upload.next(1)).toBe(QUIET);
    body.send(3);
    expect(await upload.next()).toHaveLength(3);
  });

  test('skips empty pieces', async () => {
    const body = new Body();
    const upload = new Upload(body.stream, LIMITS);
    body.send(0);
    body.send(2);
    expect(await upload.next()).toHaveLength(2);
  });
});

describe('a limit', () => {
  test('of bytes may be reached but not exceeded', async () => {
    const body = new Body();
    const upload = new Upload(body.stream, LIMITS);
    body.send(100);
    body.send(1);
    expect(await upload.next()).toHaveLength(100);
    await expect(upload.next()).rejects.toThrow('100 bytes');
  });

  test('of idle time gives a 408, and pauses add up', async () => {
    const upload = new Upload(new Body().stream, { ...LIMITS, bodyStallSeconds: 0.02 });
    const untilRefused = async () => {
      for (;;) await upload.next(5);
    };
    await expect(untilRefused()).rejects.toThrow('No byte of the body arrived');
  });

  test('of total time gives a 408 even while bytes arrive', async () => {
    const trickle = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await Bun.sleep(1);
        controller.enqueue(new Uint8Array(1));
      },
    });
    const limits = { ...LIMITS, maxBodyBytes: 1e6, bodySeconds: 0.02 };
    const upload = new Upload(trickle, limits);
    const untilRefused = async () => {
      for (;;) await upload.next();
    };
    await expect(untilRefused()).rejects.toThrow('was not complete after');
  });

  test('of time counts only the wait for the client', async () => {
    const clock = { now: 0 };
    const body = new Body();
    const upload = new Upload(body.stream, LIMITS, () => clock.now);
    body.send(1);
    await upload.next();
    clock.now += 500_000;
    body.send(1);
    expect(await upload.next()).toHaveLength(1);
    expect(upload.waitedMs).toBe(0);
    expect(upload.busyMs).toBe(500_000);
  });
});

describe('a client that disconnects', () => {
  test('is an error and never the end of a body', async () => {
    const body = new Body();
    const upload = new Upload(body.stream, LIMITS);
    expect(await upload.next(1)).toBe(QUIET);
    body.breakOff();
    await Bun.sleep(0);
    await expect(upload.next()).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
    expect(upload.ended).toBe(true);
    await expect(upload.next()).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
  });

  test('ends a drain', async () => {
    const body = new Body();
    const upload = new Upload(body.stream, LIMITS);
    body.breakOff();
    expect(await upload.drain(ALL)).toBe(true);
  });
});

describe('a drain', () => {
  test('reads to the end, beyond the limit of bytes', async () => {
    const body = new Body();
    const upload = new Upload(body.stream, LIMITS);
    body.send(500);
    body.end();
    expect(await upload.drain(ALL)).toBe(true);
  });

  test('stops when the client pauses, and can continue later', async () => {
    const body = new Body();
    const upload = new Upload(body.stream, LIMITS);
    expect(await upload.drain({ ...ALL, quietMs: 1 })).toBe(false);
    body.end();
    expect(await upload.drain(ALL)).toBe(true);
  });

  test('stops after its limit of bytes', async () => {
    const endless = new ReadableStream<Uint8Array>({ pull: each => each.enqueue(new Uint8Array(64)) });
    expect(await new Upload(endless, LIMITS).drain(ALL)).toBe(false);
  });
});
