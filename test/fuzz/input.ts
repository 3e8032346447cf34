/** What is fed to a target, and how it is written to a file. */
import { gunzipSync, gzipSync } from 'node:zlib';

/** Bytes that come so often, one after the other. */
export interface Segment {
  bytes: Uint8Array;
  times: number;
}

export interface Input {
  /** A server gets the same bytes on so many connections at once. */
  connections: number;
  segments: Segment[];
}

export const inputOf = (bytes: Uint8Array): Input => ({ connections: 1, segments: [{ bytes, times: 1 }] });

/** Of one connection. */
export const bytesIn = ({ segments }: Input): number =>
  segments.reduce((sum, { bytes, times }) => sum + bytes.length * times, 0);

export function bytesOf(input: Input): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytesIn(input));
  let at = 0;
  for (const { bytes, times } of input.segments) {
    if (times === 0 || bytes.length === 0) continue;
    const end = at + bytes.length * times;
    whole.set(bytes, at);
    // What is there is copied behind itself, twice as much each time.
    for (let length = bytes.length; at + length < end; length *= 2)
      whole.copyWithin(at + length, at, Math.min(at + length, end - length));
    at = end;
  }
  return whole;
}

/** A file of `kept/`. */
export interface KeptInput {
  target: string;
  /** What the program did wrong. */
  fault: string;
  connections: number;
  /** Compressed, in base64. */
  segments: { gzip: string; times: number }[];
}

export const kept = (target: string, fault: string, { connections, segments }: Input): KeptInput => ({
  target,
  fault,
  connections,
  segments: segments.map(({ bytes, times }) => ({ gzip: gzipSync(bytes).toString('base64'), times })),
});

export const inputIn = ({ connections, segments }: KeptInput): Input => ({
  connections,
  segments: segments.map(({ gzip, times }) => ({
    bytes: new Uint8Array(gunzipSync(Buffer.from(gzip, 'base64'))),
    times,
  })),
});
