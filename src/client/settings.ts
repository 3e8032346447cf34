/** Settings of a client, a call and a screening. */
import type { Compression } from './content.ts';

export interface Settings {
  /** Address of the server, as in `https://sluice.example.com`. */
  url: string;
  /** An API key. */
  key?: string | undefined;
  /** A session's token, instead of a key: see `openSession`. */
  token?: string | undefined;
  /** How often to retry a request; 5. */
  maxRetries?: number | undefined;
  /** A longer `Retry-After` is an error at once; 60,000 ms. */
  maxPauseMs?: number | undefined;
  /** For each try; 120,000 ms. Of a body of any length, since its last piece was sent. */
  timeoutMs?: number | undefined;
  /** The server's limit for a body; 32 MiB. */
  maxBodyBytes?: number | undefined;
  /** Instead of the platform's. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** For streams, instead of the platform's: Node has one from version 22 on. */
  webSocket?: (new (url: string) => StreamSocket) | undefined;
  /** The pause before a retry: resolves after `ms`, rejects when the signal aborts. For tests. */
  wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

/** What a stream needs of a WebSocket. */
export interface StreamSocket {
  binaryType: string;
  readonly bufferedAmount: number;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(): void;
  onopen: ((event: never) => unknown) | null;
  onmessage: ((event: never) => unknown) | null;
  onclose: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
}

export interface CallSettings {
  /** When it aborts, the call rejects with its reason. */
  signal?: AbortSignal | undefined;
}

/** Settings of a call that changes the rules or settings of a source. */
export interface ChangeSettings extends CallSettings {
  /** Change them only if they have this version; otherwise the call rejects with VERSION_CONFLICT. 0: the source never had any. */
  ifVersion?: number | undefined;
}

export interface ScreenSettings extends CallSettings {
  /**
   * The server answers equal requests with this key the same for 24 hours, and counts their rows once. The client makes a key if
   * you give none, so its own retries are safe. Give one if your program may repeat the whole call, for example after a restart.
   */
  idempotencyKey?: string | undefined;
  /** Compress the body. */
  compress?: Compression | undefined;
  /** W3C Trace Context, for the service's log. */
  traceparent?: string | undefined;
}

export type PartSettings = Pick<ScreenSettings, 'signal' | 'compress'>;

export interface GateSettings extends ScreenSettings {
  /** Whether WARN closes the gate too; `block`. */
  blockOn?: 'block' | 'warn' | undefined;
}

/** Used for settings that are absent. */
export const DEFAULTS = {
  maxRetries: 5,
  maxPauseMs: 60_000,
  timeoutMs: 120_000,
  maxBodyBytes: 32 * 1024 * 1024,
};

/** The idempotency key of a screening. Throws `TypeError` if it is empty: then all calls of a program would share it. */
export function keyOf({ idempotencyKey = newKey() }: ScreenSettings): string {
  if (idempotencyKey === '') throw new TypeError('idempotencyKey must not be empty');
  return idempotencyKey;
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** Throws `TypeError` for anything but a trace. */
export function traceHeaders({ traceparent }: ScreenSettings): Record<string, string> {
  if (traceparent === undefined) return {};
  if (!TRACEPARENT.test(traceparent))
    throw new TypeError(
      'traceparent must be as in W3C Trace Context: 00-<32 hex digits>-<16 hex digits>-<2 hex digits>',
    );
  return { traceparent };
}

const KEY_BYTES = 16;

/** Pages without TLS have no `crypto.randomUUID`. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), byte =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
