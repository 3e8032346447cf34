/** What the path needs of a store. Every implementation passes the suites in `test/contract/`. */

/** How much of a source's baseline a replica already has. */
export interface Known {
  generation: string;
  version: number;
  sequence: number;
}

export interface StoredState {
  /** The request's id; a state is kept once however often it is appended. */
  id: string;
  state: Uint8Array;
}

export interface StoredBaseline extends Known {
  /** True: `folded` and `tail` are all there is. False: the folded record is as known, `tail` holds only what came after `sequence`. */
  complete: boolean;
  folded: Uint8Array | null;
  tail: StoredState[];
  notes: SourceNotes;
}

/** What lies beside a source's baseline, and comes with every read of it. */
export interface SourceNotes {
  /** As they were given to `setSettings`; null: none. */
  settings: string | null;
  /** Nothing is to be learnt. */
  pinned: boolean;
  /** BLOCKed batches that go on; null: none since the last reset or restoration. */
  run: BlockedRun | null;
}

/** BLOCKed batches one after the other that have a cause in common. */
export interface BlockedRun {
  /** Ids of the first and of the newest. */
  since: string;
  last: string;
  /** How many. */
  batches: number;
  /** What they are BLOCKed for: a text of the caller's, of the newest. */
  causes: string;
}

/** A copy of a baseline as it once was. */
export interface StoredVersion {
  /** From 1, in the order in which they were kept; never given twice for a source. */
  number: number;
  /** When and why, and what it rests on: a text of the caller's. */
  note: string;
}

export interface SourceNoting {
  /** Survives a reset; null takes them away. */
  setSettings(account: string, source: string, settings: string | null): Promise<void>;
  /** Until the next reset. False for a source without a baseline: nothing is changed. */
  setPinned(account: string, source: string, pinned: boolean): Promise<boolean>;
  /** A batch was BLOCKed: one more of the run that began with `since`, or the first of another, which takes its place. */
  noteBlocked(account: string, source: string, run: Omit<BlockedRun, 'batches'>): Promise<void>;
  endRun(account: string, source: string): Promise<void>;
}

/** Copies survive a reset. The oldest go where there are more than MAX_VERSIONS, or they are larger together than MAX_VERSION_BYTES; the newest always stays. */
export interface VersionKeeping {
  keepVersion(account: string, source: string, note: string, copy: Uint8Array): Promise<void>;
  /** The newest first. */
  versions(account: string, source: string): Promise<StoredVersion[]>;
  /** The copy; null where it is not kept. */
  version(account: string, source: string, number: number): Promise<Uint8Array | null>;
}

export const MAX_VERSIONS = 8;
export const MAX_VERSION_BYTES = 4 * 1024 * 1024;

/**
 * Baselines: a folded record and a tail of batch states for each account and source, both opaque bytes.
 * `generation` changes with every reset, `version` with every fold and withdrawal, `sequence` grows with every append.
 * Losing the store is a rejection SERVICE_UNAVAILABLE, never an empty answer.
 */
export interface BaselineStore extends SourceNoting, VersionKeeping {
  /** Everything, or with `known` only what is new since then. A source without baseline has version 0, no folded record and an empty tail. */
  read(account: string, source: string, known?: Known): Promise<StoredBaseline>;
  /** Adds one batch's state; an id that is there, in the tail or folded while still remembered, is not added twice. */
  append(account: string, source: string, entry: StoredState): Promise<void>;
  /** Replaces the folded record and drops the states it took in, if generation and version still stand. False when they do not: nothing is changed. */
  fold(
    account: string,
    source: string,
    expected: Known,
    folded: Uint8Array,
    taken: string[],
  ): Promise<boolean>;
  /**
   * Makes this folded record all there is, if generation and version still stand, or there is no baseline and none is expected
   * (generation ''): a new generation without a tail. Ends the run, and leaves pin and settings. False: nothing is changed.
   */
  restore(account: string, source: string, expected: Known, folded: Uint8Array): Promise<boolean>;
  /** Takes a state back that is still in the tail; a folded one stays. While the store is away it is done as soon as it is back, whatever was thrown. */
  withdraw(account: string, source: string, id: string): Promise<void>;
  /** The account's sources behind `after`, in a fixed order, at most `limit`. */
  sources(account: string, after: string | null, limit: number): Promise<string[]>;
  /** Forgets one source, or all of the account, with pin and run. */
  reset(account: string, source?: string): Promise<void>;
}

/** Something that every request needs. */
export interface Dependency {
  /** As operators know it. */
  name: string;
  /** Throws SERVICE_UNAVAILABLE when it cannot be read and written now. */
  check(): Promise<void>;
}

/** What replicas tell each other about what they may hold copies of. Nothing rests on its being heard: copies are short-lived. */
export interface Announcements {
  tell(message: string): Promise<void>;
  /** Calls back for every message, our own too, in any order, as long as the process runs. */
  hear(call: (message: string) => void): Promise<void>;
  /** Calls back now for what was told by then, where nothing else would; to be called before a copy is used. What cannot be read now is left for the next call. */
  catchUp(): void;
}

export interface Account {
  id: string;
  name: string;
  plan: 'developer' | 'starter' | 'growth' | 'scale';
  /** Of the subscription that pays for the plan, as it was last heard of, in ms; null: nobody pays. */
  paidPeriod: { start: number; end: number } | null;
  /** When the last plan ended that was paid for, in ms; null: none ever did, or one is paid for now. */
  paidUntil: number | null;
  /** 32 secret bytes that seed every hash of the account's values. */
  salt: Uint8Array;
}

/** Who makes a request. */
export interface Identity {
  account: Account;
  /** The id of the key that the request came with; null when it came with a session's token. */
  key: string | null;
}

/** Whose a key or a session is, by its SHA-256 (lower-case hex). Losing the store is SERVICE_UNAVAILABLE. */
export interface IdentityStore {
  /** Null when no account has this key. */
  ownerOfKey(sha256: string): Promise<Identity | null>;
  /** Null when there is no such session, or it has ended at `now` (ms). */
  ownerOfSession(sha256: string, now: number): Promise<(Identity & { expiresAt: number }) | null>;
}

export interface KeyEntry {
  id: string;
  name: string;
  /** The leading part that may be shown. */
  prefix: string;
  /** In ms. */
  createdAt: number;
  /** In ms; null until it is first used. */
  lastUsed: number | null;
}

export interface KeyStore {
  /** The account's keys, oldest first. */
  list(account: string): Promise<KeyEntry[]>;
  /** False when the account has `limit` keys already: nothing is added. */
  add(account: string, key: Omit<KeyEntry, 'lastUsed'> & { sha256: string }, limit: number): Promise<boolean>;
  /** The key's SHA-256 when the account had it: it is gone now. Null when it had no such key. */
  remove(account: string, id: string): Promise<string | null>;
  /** Notes when keys were last used, in ms by id; an older time than the noted one changes nothing. */
  touch(uses: ReadonlyMap<string, number>): Promise<void>;
}

/** A one-time code that was asked for. */
export interface Code {
  id: string;
  email: string;
  /** The client address that asked for it. */
  client: string;
  /** SHA-256 of id and code; null where none was made, which counts against the limits all the same. */
  sha256: string | null;
  createdAt: number;
  expiresAt: number;
}

export interface Session {
  sha256: string;
  account: string;
  createdAt: number;
  expiresAt: number;
}

/** How often codes may be asked for after `since` (ms). */
export interface CodeLimits {
  since: number;
  perEmail: number;
  perClient: number;
}

export interface SignInStore {
  /** When this client asked for codes after `since`, in ms, oldest first. */
  asksOf(client: string, since: number): Promise<number[]>;
  /**
   * Keeps a code that was asked for, however many ask at once: true. False when its address has had `perEmail` codes:
   * the code is not kept, and the asking counts against the client alone. Null when the client has asked `perClient`
   * times: nothing is kept, nothing counted.
   */
  addCode(code: Code, limits: CodeLimits): Promise<boolean | null>;
  /**
   * Counts one try against every live code of the address (unused, unexpired, fewer than `maxTries` so far), and
   * answers those codes. Any number of callers at once get no more tries than that. Writes nothing where none is live.
   */
  tryCodes(email: string, now: number, maxTries: number): Promise<Pick<Code, 'id' | 'sha256'>[]>;
  /** Takes a code, and with it all others of its address. False when it was taken already. */
  takeCode(id: string, now: number): Promise<boolean>;
  /** The id of the address's account; null when it has none. */
  accountOfEmail(email: string): Promise<string | null>;
  /** The id of the address's account, made on the developer plan if absent. */
  ensureAccount(email: string, now: number): Promise<string>;
  openSession(session: Session): Promise<void>;
  /** Whether there was such a session. */
  closeSession(sha256: string): Promise<boolean>;
  /** Forgets codes asked for before `askedBefore` and sessions that had ended at `now` (ms), at most `limit` of each; how many they were. */
  sweep(askedBefore: number, now: number, limit: number): Promise<number>;
}

/** A subscription as the payment provider last described it. Times in ms. */
export interface Subscription {
  id: string;
  /** In the payment provider's words. */
  status: string;
  /** Null where its price is not one of ours. */
  plan: Account['plan'] | null;
  periodStart: number;
  periodEnd: number;
  createdAt: number;
  /** When it ceased to pay for the plan; null while it pays, and if it never did. */
  endedAt: number | null;
}

/** What an account's subscriptions come to. */
export interface Entitlement {
  /** What is paid for, and in which period; both null when nothing is. */
  plan: Account['plan'] | null;
  period: Account['paidPeriod'];
  /** When the last paid plan ended, in ms; null while one is paid for, and if none ever was. */
  until: number | null;
}

/** An account to the payment provider. */
export interface Payer {
  id: string;
  email: string | null;
  /** The provider's id for it; null until it has one. */
  customer: string | null;
  /** Grows with every `record`. */
  version: number;
  subscriptions: Subscription[];
}

/** What accounts pay for, and which of the payment provider's events were dealt with. Losing the store is SERVICE_UNAVAILABLE. */
export interface BillingStore {
  /** Null when there is no such account. */
  payer(account: string): Promise<Payer | null>;
  /** The id of the account that has this subscription, else of the one that is this customer; null: no account. */
  accountOf(subscription: string, customer: string): Promise<string | null>;
  /** Makes the account this customer, if it is `instead` so far. False when it is another, or another account is it: nothing is changed. */
  keepCustomer(account: string, customer: string, instead: string | null): Promise<boolean>;
  /** Writes one subscription and what all of them come to, if `version` is still the account's. False when it is not: nothing is changed. */
  record(
    account: string,
    version: number,
    subscription: Subscription,
    entitlement: Entitlement,
  ): Promise<boolean>;
  /** Subscriptions of accounts that pay, whose period ended between the two times (ms) and was not renewed since; at most `limit`, any of them. */
  overdue(after: number, before: number, limit: number): Promise<{ account: string; subscription: string }[]>;
  /** Whether `done` was called for the event. */
  isDone(event: string): Promise<boolean>;
  /** Notes an event as dealt with at `at` (ms). */
  done(event: string, type: string, at: number): Promise<void>;
  /** Forgets events that were dealt with before this time (ms), at most `limit`; how many they were. */
  prune(before: number, limit: number): Promise<number>;
}

/** One screening that was answered with 200. */
export interface Job {
  /** The request's id; ids sort by time. */
  id: string;
  source: string;
  status: 'PASS' | 'WARN' | 'BLOCK';
  /** 0..1. */
  healthScore: number;
  rowsReceived: number;
  driftCount: number;
  latencyMs: number;
  /** In ms. */
  createdAt: number;
}

/** What a job found, as JSON texts. */
export interface JobDocument {
  /** The body of the 200. */
  report: string;
  /** {fields: {NAME: {..}}}. */
  profile: string;
}

/** What a chart over many jobs reads of one, as JSON texts. */
export interface JobTrend {
  /** The drift events of the 200; `[]` without any. */
  drift: string;
  /** {NAME: share of rows without a value}. */
  nullRates: string;
}

/** A job with all that is written together with it. */
export interface Completion {
  account: string;
  job: Job;
  document: JobDocument;
  trend: JobTrend;
  /** Begin of the billing period that the rows count in, in ms. */
  periodStart: number;
  /** The answer to keep for the request's Idempotency-Key; null without one. */
  answer: Answer | null;
  /** What the baseline would have kept of a batch that it did not learn. */
  state?: Uint8Array | null;
}

/** A state that is larger, compressed, is not kept with its job: about 4,000 fields. */
export const MAX_KEPT_STATE_BYTES = 1024 * 1024;

/** The answer to a claimed request. */
export interface Answer {
  key: string;
  claim: string;
  /** When it may be forgotten, in ms. */
  expiresAt: number;
  /** Headers and body, as they are sent again. */
  headers: Record<string, string>;
  body: string;
}

export interface JobQuery {
  /** Newest first, at most so many. */
  limit: number;
  source?: string | undefined;
  /** Only jobs older than this one. */
  before?: string | undefined;
}

export interface HistoryEntry {
  job: Job;
  trend: JobTrend;
}

/** Counts over jobs. `avgHealth` is 0..1, and 0 without jobs. */
export interface Totals {
  totalJobs: number;
  passCount: number;
  warnCount: number;
  blockCount: number;
  avgHealth: number;
  totalRows: number;
  totalDrift: number;
  /** In ms. */
  lastRun: number;
}

export interface JobStore {
  /** Writes job, report, ledger and answer in one transaction. False when the request no longer holds its claim: nothing was written. */
  complete(completion: Completion): Promise<boolean>;
  list(account: string, query: JobQuery): Promise<Job[]>;
  /** Null when the account has no such job. */
  find(account: string, id: string): Promise<{ job: Job; document: JobDocument } | null>;
  /** The state that is kept with a job; null where none is, or the account has no such job. */
  keptState(account: string, id: string): Promise<Uint8Array | null>;
  /** Keeps a job's state, once: a later one changes nothing. Nothing where the account has no such job, or it is too large. */
  keepState(account: string, id: string, state: Uint8Array): Promise<void>;
  /** A source's jobs, newest first. */
  history(account: string, query: JobQuery & { source: string }): Promise<HistoryEntry[]>;
  /** By source, over jobs whose id is at least `from`. */
  statistics(account: string, from: string): Promise<Map<string, Totals>>;
  /** When a source was last screened, in ms, for those of the given sources that were. */
  lastSeen(account: string, sources: readonly string[]): Promise<Map<string, number>>;
  /** Forgets jobs created before this time (ms), at most `limit`; how many they were. */
  prune(before: number, limit: number): Promise<number>;
}

/** Answers to repeated requests. */
export interface IdempotencyStore {
  /**
   * Claims a key for one request, if it is free: never used, forgotten, or held by a claim that has expired. A claim
   * that expires long after the new one would was made before the clock was set back, and counts as expired.
   * Else what is known of it: `answer` is null while the other request runs.
   */
  claim(
    account: string,
    key: string,
    claim: { requestSha256: string; claim: string; now: number; expiresAt: number },
  ): Promise<'claimed' | { requestSha256: string; answer: Pick<Answer, 'headers' | 'body'> | null }>;
  /** Extends a running claim to `expiresAt` (ms). Does nothing if another request holds the key, or the answer is stored. */
  renew(account: string, key: string, claim: string, expiresAt: number): Promise<void>;
  /** Lets go of a claim whose request was refused. While the store is away it is done as soon as it is back, whatever was thrown. */
  unclaim(account: string, key: string, claim: string): Promise<void>;
  /** Forgets what has ended at `now` (ms), at most `limit`; how many they were. */
  prune(now: number, limit: number): Promise<number>;
}

/** What was answered with 200 in a period. */
export interface Usage {
  rows: number;
  requests: number;
}

/** The ledger. */
export interface UsageStore {
  /** Of the period that begins at `periodStart` (ms). */
  usage(account: string, periodStart: number): Promise<Usage>;
}

/** Rows that were added to what is counted. */
export interface ReserveResult {
  /** Rows left of the allowance after it. */
  left: number;
  /** Which count they are in: a store that lost its count and made it anew does not have them. */
  count: string;
}

/** Rows counted against the monthly allowance: those in the ledger, and those of requests under way. */
export interface AllowanceStore {
  /** Adds `rows` if they fit below `allowance` in the period that begins at `periodStart` (ms); null when they do not fit (nothing is added). */
  reserve(
    account: string,
    periodStart: number,
    rows: number,
    allowance: number,
  ): Promise<ReserveResult | null>;
  /** Gives reserved rows back, once, if they are in this `count` still. While the store is away it is done as soon as it is back, whatever was thrown. */
  release(account: string, periodStart: number, rows: number, count: string): Promise<void>;
  /** Rows counted now. */
  counted(account: string, periodStart: number): Promise<number>;
}
