/** Settings, rules, pin and run of BLOCKed batches of a source, in the hash `notes` of the baseline's slot. */
import type { BlockedRun, SourceNotes } from '../ports.ts';
import type { RedisConnection, Script } from './connection.ts';

/** In the order of `notesIn`. */
export const NOTE_FIELDS = `'settings', 'pinned', 'since', 'last', 'batches', 'causes', 'rules'`;
/** Fields that a reset deletes. */
export const BASELINE_FIELDS = `'pinned', 'since', 'last', 'batches', 'causes'`;
export const RUN_FIELDS = `'since', 'last', 'batches', 'causes'`;

/** Returns 0 if the settings are other ones by now. Without settings an argument is empty, which no settings are. */
const SET: Script = {
  name: 'sluiceNoteReplace',
  keys: 1,
  lua: `
    if (redis.call('HGET', KEYS[1], 'settings') or '') ~= ARGV[1] then return 0 end
    if ARGV[2] == '' then redis.call('HDEL', KEYS[1], 'settings') else redis.call('HSET', KEYS[1], 'settings', ARGV[2]) end
    return 1`,
};

/** Returns 0 if the rules are other ones by now. Without rules ARGV[1] is empty, which no rules are. */
const SET_RULES: Script = {
  name: 'sluiceNoteSetRules',
  keys: 1,
  lua: `
    if (redis.call('HGET', KEYS[1], 'rules') or '') ~= ARGV[1] then return 0 end
    redis.call('HSET', KEYS[1], 'rules', ARGV[2], 'rulesPast', ARGV[3])
    return 1`,
};

const RULES_PAST: Script = {
  name: 'sluiceNoteRulesPast',
  keys: 1,
  lua: `return redis.call('HGET', KEYS[1], 'rulesPast')`,
};

const PIN: Script = {
  name: 'sluiceNotePin',
  keys: 2,
  lua: `
    if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
    if ARGV[1] == '1' then redis.call('HSET', KEYS[1], 'pinned', '1') else redis.call('HDEL', KEYS[1], 'pinned') end
    return 1`,
};

const BLOCK: Script = {
  name: 'sluiceNoteBlock',
  keys: 1,
  lua: `
    if redis.call('HGET', KEYS[1], 'since') ~= ARGV[1] then redis.call('HSET', KEYS[1], 'since', ARGV[1], 'batches', 0) end
    redis.call('HSET', KEYS[1], 'last', ARGV[2], 'causes', ARGV[3])
    return redis.call('HINCRBY', KEYS[1], 'batches', 1)`,
};

const END_RUN: Script = {
  name: 'sluiceNoteEndRun',
  keys: 1,
  lua: `return redis.call('HDEL', KEYS[1], ${RUN_FIELDS})`,
};

export type Notes = (Buffer | null)[];

export function notesIn([settings, pinned, since, last, batches, causes, rules]: Notes): SourceNotes {
  return {
    settings: settings?.toString() ?? null,
    rules: rules?.toString() ?? null,
    pinned: Boolean(pinned),
    run: since
      ? {
          since: since.toString(),
          last: String(last),
          batches: Number(batches),
          causes: String(causes),
        }
      : null,
  };
}

type Call = ReturnType<RedisConnection['script']>;

/** Methods take the key of the hash, and where needed that of the baseline. */
export class RedisNotes {
  readonly #set: Call;
  readonly #setRules: Call;
  readonly #rulesPast: Call;
  readonly #pin: Call;
  readonly #block: Call;
  readonly #endRun: Call;

  constructor(connection: RedisConnection) {
    this.#set = connection.script(SET);
    this.#setRules = connection.script(SET_RULES);
    this.#rulesPast = connection.script(RULES_PAST);
    this.#pin = connection.script(PIN);
    this.#block = connection.script(BLOCK);
    this.#endRun = connection.script(END_RUN);
  }

  async setSettings(notes: string, before: string | null, after: string | null): Promise<boolean> {
    return (await this.#set([notes], [before ?? '', after ?? ''])) === 1;
  }

  async setRules(notes: string, before: string | null, after: string, past: string): Promise<boolean> {
    return (await this.#setRules([notes], [before ?? '', after, past])) === 1;
  }

  async rulesPast(notes: string): Promise<string | null> {
    return ((await this.#rulesPast([notes], [])) as Buffer | null)?.toString() ?? null;
  }

  async setPinned(notes: string, base: string, pinned: boolean): Promise<boolean> {
    return (await this.#pin([notes, base], [pinned ? '1' : '0'])) === 1;
  }

  async noteBlocked(notes: string, { since, last, causes }: Omit<BlockedRun, 'batches'>): Promise<void> {
    await this.#block([notes], [since, last, causes]);
  }

  async endRun(notes: string): Promise<void> {
    await this.#endRun([notes], []);
  }
}
