/** Calls of a client: how one is sent, and those about the account and the service. */
import { addressOf, baseOf } from './address.ts';
import type { LongBody } from './any-length.ts';
import { type Answer, type Call, type Connection, call, type Query, transportOf } from './call.ts';
import { ADDRESSES, type Operations } from './contract.ts';
import type { About, ScreenRequest } from './input.ts';
import { type Screening, screeningIn } from './screening.ts';
import { type Body, checkHeaders, type Incoming, type OpenBody, send } from './send.ts';
import { type CallSettings, DEFAULTS, type Settings } from './settings.ts';
import { type Streamed, type Streaming, streamed, type WindowVerdict } from './stream.ts';

/** What a screening is sent with besides its body. */
interface Keyed {
  key: string;
  trace: Record<string, string>;
  signal: AbortSignal | undefined;
}

export abstract class AccountCalls {
  /** Has the key, as the next: only private fields are never shown. */
  readonly #connection: Connection;
  readonly #streaming: Streaming;
  protected readonly maxBodyBytes: number;

  /** Throws `TypeError` for an invalid address, key or token. */
  constructor(settings: Settings) {
    const base = baseOf(settings.url);
    if (base === null)
      throw new TypeError('url must be the address of a server, as in http://127.0.0.1:8080');
    const { key, token, webSocket, maxBodyBytes = DEFAULTS.maxBodyBytes } = settings;
    const credentials = {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'X-API-Key': key }),
    };
    checkHeaders(credentials);
    const transport = transportOf(settings);
    const url = `${base.replace(/^http/, 'ws')}/v1/stream`;
    this.#connection = { base, credentials, transport };
    this.#streaming = { ...transport, url, key, maxBodyBytes, webSocket };
    this.maxBodyBytes = maxBodyBytes;
  }

  // ---- keys ----

  listKeys(settings?: CallSettings) {
    return this.call('listKeys', {}, settings);
  }

  /** Only this answer has the key. */
  createKey(body: Operations['createKey']['body'] = {}, settings?: CallSettings) {
    return this.call('createKey', { body }, settings);
  }

  findKey(id: string, settings?: CallSettings) {
    return this.call('findKey', { path: { id } }, settings);
  }

  deleteKey(id: string, settings?: CallSettings) {
    return this.call('deleteKey', { path: { id } }, settings);
  }

  // ---- sign-in ----

  /** Mails a one-time code to the address. */
  sendCode(email: string, settings?: CallSettings) {
    return this.call('sendCode', { body: { email } }, settings);
  }

  /** Use the token in a new client: `new Sluice({ url, token })`. */
  openSession(email: string, code: string, settings?: CallSettings) {
    return this.call('openSession', { body: { email, code } }, settings);
  }

  /** Signs out: this client's token stops working. */
  endSession(settings?: CallSettings) {
    return this.call('endSession', {}, settings);
  }

  /** The account's sessions. */
  listSessions(settings?: CallSettings) {
    return this.call('listSessions', {}, settings);
  }

  findSession(id: string, settings?: CallSettings) {
    return this.call('findSession', { path: { id } }, settings);
  }

  /** Ends all other sessions of the account. */
  endOtherSessions(settings?: CallSettings) {
    return this.call('endOtherSessions', {}, settings);
  }

  endOneSession(id: string, settings?: CallSettings) {
    return this.call('endOneSession', { path: { id } }, settings);
  }

  /** Needs a session. Its address then signs in to the account of the key, and so does the session. */
  claimAccount(key: string, settings?: CallSettings) {
    return this.call('claimAccount', { body: { key } }, settings);
  }

  // ---- billing ----

  /** Plan, and usage in the current period. */
  showBilling(settings?: CallSettings) {
    return this.call('showBilling', {}, settings);
  }

  /** The page to subscribe on. SUBSCRIPTION_EXISTS has `details.url`: the page to change a subscription on. */
  startCheckout(tier: Operations['startCheckout']['body']['tier'], settings?: CallSettings) {
    return this.call('startCheckout', { body: { tier } }, settings);
  }

  /** The page to change or end a subscription on. */
  openPortal(settings?: CallSettings) {
    return this.call('openPortal', {}, settings);
  }

  // ---- alerts ----

  listAlertChannels(settings?: CallSettings) {
    return this.call('listAlertChannels', {}, settings);
  }

  /** Only this answer has the secret of a webhook. */
  createAlertChannel(body: Operations['createAlertChannel']['body'], settings?: CallSettings) {
    return this.call('createAlertChannel', { body }, settings);
  }

  findAlertChannel(id: string, settings?: CallSettings) {
    return this.call('findAlertChannel', { path: { id } }, settings);
  }

  changeAlertChannel(id: string, body: Operations['changeAlertChannel']['body'], settings?: CallSettings) {
    return this.call('changeAlertChannel', { path: { id }, body }, settings);
  }

  deleteAlertChannel(id: string, settings?: CallSettings) {
    return this.call('deleteAlertChannel', { path: { id } }, settings);
  }

  /** Sends a test message; `listAlertDeliveries` has its outcome. */
  testAlertChannel(id: string, settings?: CallSettings) {
    return this.call('testAlertChannel', { path: { id } }, settings);
  }

  /** The previous secret continues to sign for a day. */
  rotateAlertSecret(id: string, settings?: CallSettings) {
    return this.call('rotateAlertSecret', { path: { id } }, settings);
  }

  /** Newest first. For the next page pass the last id as `before`. */
  listAlertDeliveries(query: Query<'listAlertDeliveries'> = {}, settings?: CallSettings) {
    return this.call('listAlertDeliveries', { query }, settings);
  }

  findAlertDelivery(id: string, settings?: CallSettings) {
    return this.call('findAlertDelivery', { path: { id } }, settings);
  }

  resendAlertDelivery(id: string, settings?: CallSettings) {
    return this.call('resendAlertDelivery', { path: { id } }, settings);
  }

  /** Newest first. For the next page pass the last id as `before`. */
  listIncidents(query: Query<'listIncidents'> = {}, settings?: CallSettings) {
    return this.call('listIncidents', { query }, settings);
  }

  findIncident(id: string, settings?: CallSettings) {
    return this.call('findIncident', { path: { id } }, settings);
  }

  /** Ends its daily reminders. */
  acknowledgeIncident(id: string, settings?: CallSettings) {
    return this.call('acknowledgeIncident', { path: { id } }, settings);
  }

  /** `until`: a time in ISO 8601; null ends the snooze. */
  snoozeIncident(id: string, until: string | null, settings?: CallSettings) {
    return this.call('snoozeIncident', { path: { id }, body: { until } }, settings);
  }

  // ---- service ----

  /** Answers while the process runs. Needs no key. */
  health(settings?: CallSettings) {
    return this.call('health', {}, settings);
  }

  /** Answers while requests can be served; SERVICE_UNAVAILABLE has `details.missing`. Needs no key. */
  ready(settings?: CallSettings) {
    return this.call('ready', {}, settings);
  }

  protected async screenOnce(
    { headers, body, about }: ScreenRequest,
    { key, trace, signal }: Keyed,
  ): Promise<Screening> {
    const all = { ...headers, ...trace, 'Idempotency-Key': key };
    return this.#screeningIn(await this.#sendBody('screen', {}, { headers: all, body, signal }), about);
  }

  /** `headers` have source and options. */
  protected async screenLong(
    long: LongBody,
    { source, headers }: { source: string; headers: Record<string, string> },
    { key, trace, signal }: Keyed,
  ): Promise<Screening> {
    const all = { ...headers, ...trace, 'Idempotency-Key': key };
    const answer = await this.sendLong('screenWhole', {}, long, { headers: all, signal });
    return this.#screeningIn(answer, { source, rows: long.rows() });
  }

  /** A body that cannot be read again is sent once. */
  protected sendLong(
    name: keyof Operations,
    path: Record<string, string>,
    long: LongBody,
    { headers, signal }: { headers: Record<string, string>; signal: AbortSignal | undefined },
  ): Promise<Incoming> {
    const isOnce = !long.isReadAgain;
    const all = { ...long.headers, ...headers };
    return this.#sendBody(name, path, { headers: all, body: () => long.open(), signal, isOnce });
  }

  protected async finished(id: string, parts: number, signal: AbortSignal | undefined): Promise<Screening> {
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ parts });
    const answer = await this.#sendBody('finishBatch', { id }, { headers, body, signal });
    return this.#screeningIn(answer, { source: null, rows: null });
  }

  #screeningIn(answer: Incoming, about: About): Screening {
    return screeningIn(answer, this.#connection.base, about);
  }

  #sendBody(
    name: keyof Operations,
    path: Record<string, string>,
    {
      headers,
      body,
      signal,
      isOnce = false,
    }: {
      headers: Record<string, string>;
      body: Body | OpenBody;
      signal: AbortSignal | undefined;
      isOnce?: boolean;
    },
  ): Promise<Incoming> {
    const { base, credentials, transport } = this.#connection;
    const [method, pattern] = ADDRESSES[name];
    return send(
      {
        method,
        url: `${base}${addressOf(pattern, path)}`,
        headers: { ...headers, ...credentials },
        body,
        repeatable: true,
        signal,
      },
      isOnce ? { ...transport, maxRetries: 0 } : transport,
    );
  }

  protected openStream(input: Streamed, settings: CallSettings): AsyncGenerator<WindowVerdict, void> {
    return streamed(input, settings, this.#streaming);
  }

  protected call<Name extends keyof Operations>(
    name: Name,
    given: Call<Name>,
    { signal }: CallSettings = {},
  ): Promise<Answer<Name>> {
    return call(this.#connection, name, given, signal);
  }
}
