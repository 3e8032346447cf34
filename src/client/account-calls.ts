/** Calls of a client: how one is sent, and those about the account and the service. */
import { addressOf, baseOf } from './address.ts';
import { ADDRESSES, type Operations } from './contract.ts';
import type { ScreenRequest } from './input.ts';
import { bodyIn, type Screening, screeningIn } from './screening.ts';
import { checkHeaders, send, type Transport, waitFor } from './send.ts';
import { type CallSettings, DEFAULTS, type Settings } from './settings.ts';
import { type Streamed, type Streaming, streamed, type WindowVerdict } from './stream.ts';

export type Answer<Name extends keyof Operations> = Operations[Name]['answer'];
type Asked = Record<string, string | number | boolean | undefined>;
export type Query<Name extends keyof Operations> = Operations[Name] extends {
  query: infer Query extends Asked;
}
  ? Query
  : never;

interface Call<Name extends keyof Operations> {
  path?: Operations[Name] extends { path: infer Names extends Record<string, string> } ? Names : never;
  query?: Query<Name>;
  body?: Operations[Name] extends { body: infer Body } ? Body : never;
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
] as const);
/** Never retried: they ask for the state right now. */
const PROBES: ReadonlySet<keyof Operations> = new Set(['health', 'ready'] as const);

export abstract class AccountCalls {
  readonly #base: string;
  readonly #credentials: Record<string, string>;
  protected readonly maxBodyBytes: number;
  readonly #transport: Transport;
  /** Has the key: only private fields are never shown. */
  readonly #streaming: Streaming;

  /** Throws `TypeError` for an invalid address, key or token. */
  constructor(settings: Settings) {
    const base = baseOf(settings.url);
    if (base === null)
      throw new TypeError('url must be the address of a server, as in http://127.0.0.1:8080');
    const { key, token } = settings;
    this.#base = base;
    this.#credentials = {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'X-API-Key': key }),
    };
    checkHeaders(this.#credentials);
    this.maxBodyBytes = settings.maxBodyBytes ?? DEFAULTS.maxBodyBytes;
    this.#transport = {
      maxRetries: settings.maxRetries ?? DEFAULTS.maxRetries,
      maxPauseMs: settings.maxPauseMs ?? DEFAULTS.maxPauseMs,
      timeoutMs: settings.timeoutMs ?? DEFAULTS.timeoutMs,
      // Browsers require that fetch is called on the window.
      fetch: settings.fetch ?? ((url, init) => globalThis.fetch(url, init)),
      wait: settings.wait ?? waitFor,
      random: Math.random,
    };
    this.#streaming = {
      ...this.#transport,
      url: `${base.replace(/^http/, 'ws')}/v1/stream`,
      key,
      maxBodyBytes: this.maxBodyBytes,
      webSocket: settings.webSocket,
    };
  }

  // ---- keys ----

  async listKeys(settings?: CallSettings): Promise<Answer<'listKeys'>> {
    return this.call('listKeys', {}, settings);
  }

  /** Only this answer has the key. */
  async createKey(
    body: Operations['createKey']['body'] = {},
    settings?: CallSettings,
  ): Promise<Answer<'createKey'>> {
    return this.call('createKey', { body }, settings);
  }

  async findKey(id: string, settings?: CallSettings): Promise<Answer<'findKey'>> {
    return this.call('findKey', { path: { id } }, settings);
  }

  async deleteKey(id: string, settings?: CallSettings): Promise<Answer<'deleteKey'>> {
    return this.call('deleteKey', { path: { id } }, settings);
  }

  // ---- sign-in ----

  /** Mails a one-time code to the address. */
  async sendCode(email: string, settings?: CallSettings): Promise<Answer<'sendCode'>> {
    return this.call('sendCode', { body: { email } }, settings);
  }

  /** Use the token in a new client: `new Sluice({ url, token })`. */
  async openSession(email: string, code: string, settings?: CallSettings): Promise<Answer<'openSession'>> {
    return this.call('openSession', { body: { email, code } }, settings);
  }

  /** Signs out: this client's token stops working. */
  async endSession(settings?: CallSettings): Promise<Answer<'endSession'>> {
    return this.call('endSession', {}, settings);
  }

  /** The account's sessions. */
  async listSessions(settings?: CallSettings): Promise<Answer<'listSessions'>> {
    return this.call('listSessions', {}, settings);
  }

  async findSession(id: string, settings?: CallSettings): Promise<Answer<'findSession'>> {
    return this.call('findSession', { path: { id } }, settings);
  }

  /** Ends all other sessions of the account. */
  async endOtherSessions(settings?: CallSettings): Promise<Answer<'endOtherSessions'>> {
    return this.call('endOtherSessions', {}, settings);
  }

  async endOneSession(id: string, settings?: CallSettings): Promise<Answer<'endOneSession'>> {
    return this.call('endOneSession', { path: { id } }, settings);
  }

  /** Needs a session. Its address then signs in to the account of the key, and so does the session. */
  async claimAccount(key: string, settings?: CallSettings): Promise<Answer<'claimAccount'>> {
    return this.call('claimAccount', { body: { key } }, settings);
  }

  // ---- billing ----

  /** Plan, and usage in the current period. */
  async showBilling(settings?: CallSettings): Promise<Answer<'showBilling'>> {
    return this.call('showBilling', {}, settings);
  }

  /** The page to subscribe on. SUBSCRIPTION_EXISTS has `details.url`: the page to change a subscription on. */
  async startCheckout(
    tier: Operations['startCheckout']['body']['tier'],
    settings?: CallSettings,
  ): Promise<Answer<'startCheckout'>> {
    return this.call('startCheckout', { body: { tier } }, settings);
  }

  /** The page to change or end a subscription on. */
  async openPortal(settings?: CallSettings): Promise<Answer<'openPortal'>> {
    return this.call('openPortal', {}, settings);
  }

  // ---- alerts ----

  async listAlertChannels(settings?: CallSettings): Promise<Answer<'listAlertChannels'>> {
    return this.call('listAlertChannels', {}, settings);
  }

  /** Only this answer has the secret of a webhook. */
  async createAlertChannel(
    body: Operations['createAlertChannel']['body'],
    settings?: CallSettings,
  ): Promise<Answer<'createAlertChannel'>> {
    return this.call('createAlertChannel', { body }, settings);
  }

  async findAlertChannel(id: string, settings?: CallSettings): Promise<Answer<'findAlertChannel'>> {
    return this.call('findAlertChannel', { path: { id } }, settings);
  }

  async changeAlertChannel(
    id: string,
    body: Operations['changeAlertChannel']['body'],
    settings?: CallSettings,
  ): Promise<Answer<'changeAlertChannel'>> {
    return this.call('changeAlertChannel', { path: { id }, body }, settings);
  }

  async deleteAlertChannel(id: string, settings?: CallSettings): Promise<Answer<'deleteAlertChannel'>> {
    return this.call('deleteAlertChannel', { path: { id } }, settings);
  }

  /** Sends a test message; `listAlertDeliveries` has its outcome. */
  async testAlertChannel(id: string, settings?: CallSettings): Promise<Answer<'testAlertChannel'>> {
    return this.call('testAlertChannel', { path: { id } }, settings);
  }

  /** The previous secret continues to sign for a day. */
  async rotateAlertSecret(id: string, settings?: CallSettings): Promise<Answer<'rotateAlertSecret'>> {
    return this.call('rotateAlertSecret', { path: { id } }, settings);
  }

  /** Newest first. For the next page pass the last id as `before`. */
  async listAlertDeliveries(
    query: Query<'listAlertDeliveries'> = {},
    settings?: CallSettings,
  ): Promise<Answer<'listAlertDeliveries'>> {
    return this.call('listAlertDeliveries', { query }, settings);
  }

  async findAlertDelivery(id: string, settings?: CallSettings): Promise<Answer<'findAlertDelivery'>> {
    return this.call('findAlertDelivery', { path: { id } }, settings);
  }

  async resendAlertDelivery(id: string, settings?: CallSettings): Promise<Answer<'resendAlertDelivery'>> {
    return this.call('resendAlertDelivery', { path: { id } }, settings);
  }

  /** Newest first. For the next page pass the last id as `before`. */
  async listIncidents(
    query: Query<'listIncidents'> = {},
    settings?: CallSettings,
  ): Promise<Answer<'listIncidents'>> {
    return this.call('listIncidents', { query }, settings);
  }

  async findIncident(id: string, settings?: CallSettings): Promise<Answer<'findIncident'>> {
    return this.call('findIncident', { path: { id } }, settings);
  }

  /** Ends its daily reminders. */
  async acknowledgeIncident(id: string, settings?: CallSettings): Promise<Answer<'acknowledgeIncident'>> {
    return this.call('acknowledgeIncident', { path: { id } }, settings);
  }

  /** `until`: a time in ISO 8601; null ends the snooze. */
  async snoozeIncident(
    id: string,
    until: string | null,
    settings?: CallSettings,
  ): Promise<Answer<'snoozeIncident'>> {
    return this.call('snoozeIncident', { path: { id }, body: { until } }, settings);
  }

  // ---- service ----

  /** Answers while the process runs. Needs no key. */
  async health(settings?: CallSettings): Promise<Answer<'health'>> {
    return this.call('health', {}, settings);
  }

  /** Answers while requests can be served; SERVICE_UNAVAILABLE has `details.missing`. Needs no key. */
  async ready(settings?: CallSettings): Promise<Answer<'ready'>> {
    return this.call('ready', {}, settings);
  }

  protected async screenOnce(
    { headers, body, about }: ScreenRequest,
    { key, trace, signal }: { key: string; trace: Record<string, string>; signal: AbortSignal | undefined },
  ): Promise<Screening> {
    const answer = await send(
      {
        method: 'POST',
        url: `${this.#base}${ADDRESSES.screen[1]}`,
        headers: { ...headers, ...trace, ...this.#credentials, 'Idempotency-Key': key },
        body,
        repeatable: true,
        signal,
      },
      this.#transport,
    );
    return screeningIn(answer, this.#base, about);
  }

  protected openStream(input: Streamed, settings: CallSettings): AsyncGenerator<WindowVerdict, void> {
    return streamed(input, settings, this.#streaming);
  }

  protected async call<Name extends keyof Operations>(
    name: Name,
    { path, query, body }: Call<Name>,
    { signal }: CallSettings = {},
  ): Promise<Answer<Name>> {
    const [method, pattern] = ADDRESSES[name];
    const answer = await send(
      {
        method,
        url: `${this.#base}${addressOf(pattern, path, query)}`,
        headers: { ...this.#credentials, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
        // A document in YAML is sent as it is.
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        repeatable: (method === 'GET' && !PROBES.has(name)) || REPEATABLE.has(name),
        signal,
      },
      this.#transport,
    );
    return bodyIn<Answer<Name>>(answer);
  }
}
