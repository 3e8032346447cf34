/** One call of an operation, typed by the contract. */
import { addressOf } from './address.ts';
import { ADDRESSES, type Operations } from './contract.ts';
import { bodyIn, send, type Transport, waitFor } from './send.ts';
import { DEFAULTS, type Settings } from './settings.ts';

export type Answer<Name extends keyof Operations> = Operations[Name]['answer'];
type Asked = Record<string, string | number | boolean | undefined>;
export type Query<Name extends keyof Operations> = Operations[Name] extends {
  query: infer Query extends Asked;
}
  ? Query
  : never;

export interface Call<Name extends keyof Operations> {
  path?: Operations[Name] extends { path: infer Names extends Record<string, string> } ? Names : never;
  query?: Query<Name>;
  body?: Operations[Name] extends { body: infer Body } ? Body : never;
  headers?: Record<string, string>;
}

export interface Connection {
  /** The server's address: see `baseOf`. */
  base: string;
  /** Headers. */
  credentials: Readonly<Record<string, string>>;
  transport: Transport;
}

/** Writes with the same effect if they are done twice. */
const REPEATABLE: ReadonlySet<keyof Operations> = new Set([
  'resetBaseline',
  'resetAllBaselines',
  'putSettings',
  'putRules',
  'deleteRules',
  'pinBaseline',
  'acceptBatch',
  'giveFeedback',
  'changeAlertChannel',
  'acknowledgeIncident',
  'snoozeIncident',
  'claimAccount',
  // With a key.
  'openBatch',
  'abortBatch',
] as const);
/** Never retried: they ask for the state right now. */
const PROBES: ReadonlySet<keyof Operations> = new Set(['health', 'ready'] as const);

export async function call<Name extends keyof Operations>(
  { base, credentials, transport }: Connection,
  name: Name,
  { path, query, body, headers }: Call<Name>,
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  const [method, pattern] = ADDRESSES[name];
  const answer = await send(
    {
      method,
      url: `${base}${addressOf(pattern, path, query)}`,
      headers: {
        ...headers,
        ...credentials,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      // A document in YAML is sent as it is.
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      repeatable: (method === 'GET' && !PROBES.has(name)) || REPEATABLE.has(name),
      signal,
    },
    transport,
  );
  return bodyIn<Answer<Name>>(answer);
}

export const transportOf = (settings: Omit<Settings, 'url'>): Transport => ({
  maxRetries: settings.maxRetries ?? DEFAULTS.maxRetries,
  maxPauseMs: settings.maxPauseMs ?? DEFAULTS.maxPauseMs,
  timeoutMs: settings.timeoutMs ?? DEFAULTS.timeoutMs,
  // Browsers require that fetch is called on the window.
  fetch: settings.fetch ?? ((url, init) => globalThis.fetch(url, init)),
  wait: settings.wait ?? waitFor,
  random: Math.random,
});
