/** Port: what people and programs changed at sources. */

export const CHANGE_ACTIONS = [
  'accepted',
  'expected',
  'bad',
  'settings',
  'rules',
  'pinned',
  'unpinned',
  'rolled_back',
  'reset',
] as const;
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

/** Without `job` and `detail` these are null. */
export type NewChange = Omit<SourceChange, 'job' | 'detail'> & Partial<Pick<SourceChange, 'job' | 'detail'>>;

export interface SourceChange {
  /** Null: all sources of the account. */
  source: string | null;
  action: ChangeAction;
  /** In ms. */
  at: number;
  /** As it was then: the address of the session, or name and first letters of the key. */
  by: string;
  /** Id of the API key; null: a session. */
  key: string | null;
  /** The job that it is about; null: none. */
  job: string | null;
  /** What of it changed: names of settings, or the version of the rules or of the baseline; null: all. */
  detail: string | null;
}

/** Changes that are kept of an account: beyond these the oldest are deleted. */
export const MAX_SOURCE_CHANGES = 10_000;

export interface ChangeStore {
  add(account: string, change: NewChange): Promise<void>;
  /** Of the source, and of all sources; newest first. */
  list(account: string, source: string, limit: number): Promise<SourceChange[]>;
}
