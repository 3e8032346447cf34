/** The statements of `baselines.ts`. `$source` is a `sourceKey`, `$key` the key of a row of `baseline`. */
import { NOTE_BYTES, STATE_BYTES } from '../ports.ts';

/** The sequence of a baseline: that of its newest state, or the one before the last fold or withdrawal. */
const SEQUENCE = 'max(sequence, ifnull((SELECT max(sequence) FROM state WHERE baseline = key), 0))';
const OF_SOURCE = 'account = $account AND source = $source';
const OWNER = `(SELECT key FROM note WHERE ${OF_SOURCE})`;

// ---- Baselines and their states ----

export const FIND = `SELECT key, generation, version, ${SEQUENCE} AS sequence FROM baseline WHERE ${OF_SOURCE}`;
export const FOLDED = 'SELECT folded FROM baseline WHERE key = $key';
export const TAIL =
  'SELECT id, bytes AS state FROM state WHERE baseline = $key AND sequence > $after ORDER BY sequence';
export const CREATE = `
  INSERT INTO baseline (account, source, generation, version, sequence)
  VALUES ($account, $source, $generation, 0, 0) RETURNING key`;
/** Adds nothing if the source has no baseline, the baseline has the state or remembers it, or the account has no room. */
export const ADD_STATE = `
  INSERT INTO state (baseline, sequence, id, bytes)
  SELECT key, ${SEQUENCE} + 1, $id, $bytes FROM baseline
  WHERE ${OF_SOURCE} AND NOT EXISTS (SELECT 1 FROM folded_state WHERE baseline = key AND id = $id)
    AND (SELECT bytes FROM kept WHERE account = $account) + length($bytes) + ${STATE_BYTES} <= $mostBytes
  ON CONFLICT DO NOTHING`;
export const HAS_STATE = `
  SELECT 1 FROM state WHERE baseline = $key AND id = $id
  UNION ALL SELECT 1 FROM folded_state WHERE baseline = $key AND id = $id`;
export const DROP_STATE = 'DELETE FROM state WHERE baseline = $key AND id = $id';
export const DROP_STATES = 'DELETE FROM state WHERE baseline = $key';
export const FOLD =
  'UPDATE baseline SET folded = $folded, version = version + 1, sequence = $sequence WHERE key = $key';
export const CHANGED = 'UPDATE baseline SET version = version + 1, sequence = $sequence WHERE key = $key';
export const RENEW = `
  UPDATE baseline SET generation = $generation, version = 0, sequence = $sequence, folded = $folded WHERE key = $key`;
export const RESET =
  'DELETE FROM baseline WHERE account = $account AND ($source IS NULL OR source = $source)';
export const SOURCES =
  'SELECT source FROM baseline WHERE account = $account AND source > $after ORDER BY source LIMIT $limit';

// ---- Ids of states that a baseline no longer has ----

export const REMEMBERED =
  'SELECT called_off AS calledOff FROM folded_state WHERE baseline = $key AND id = $id';
export const REMEMBER_STATE = `
  INSERT INTO folded_state (baseline, sequence, id)
  SELECT baseline, sequence, id FROM state WHERE baseline = $key AND id = $id`;
export const REMEMBER_ID = `
  INSERT INTO folded_state (baseline, sequence, id) VALUES ($key, $sequence, $id)
  ON CONFLICT (baseline, id) DO UPDATE SET called_off = 0`;
export const REMEMBER_CALLED_OFF =
  'INSERT INTO folded_state (baseline, sequence, id, called_off) VALUES ($key, $sequence, $id, 1)';
export const FORGET_OLDEST = `
  DELETE FROM folded_state WHERE baseline = $key AND sequence <=
    (SELECT sequence FROM folded_state WHERE baseline = $key ORDER BY sequence DESC LIMIT 1 OFFSET $kept)`;
export const FORGET_IDS = 'DELETE FROM folded_state WHERE baseline = $key';

// ---- Notes ----

export const NOTES = `
  SELECT settings, current AS rules, pinned, since, last, batches, causes
  FROM note LEFT JOIN rule ON owner = note.key WHERE ${OF_SOURCE}`;
export const TEXTS = `
  SELECT settings, current AS rules, past AS rulesPast FROM note LEFT JOIN rule ON owner = note.key WHERE ${OF_SOURCE}`;
export const SET_SETTINGS = `
  INSERT INTO note (account, source, settings) VALUES ($account, $source, $settings)
  ON CONFLICT DO UPDATE SET settings = excluded.settings`;
export const SET_RULES = `
  INSERT INTO rule (owner, current, past) VALUES (${OWNER}, $rules, $rulesPast)
  ON CONFLICT DO UPDATE SET current = excluded.current, past = excluded.past`;
export const PIN = `
  INSERT INTO note (account, source, pinned) SELECT account, source, $pinned FROM baseline WHERE ${OF_SOURCE}
  ON CONFLICT DO UPDATE SET pinned = excluded.pinned`;
export const BLOCKED = `
  INSERT INTO note (account, source, since, last, batches, causes) VALUES ($account, $source, $since, $last, 1, $causes)
  ON CONFLICT DO UPDATE SET
    batches = CASE WHEN since = excluded.since THEN batches + 1 ELSE 1 END,
    since = excluded.since, last = excluded.last, causes = excluded.causes`;
export const END_RUN = `UPDATE note SET since = NULL WHERE ${OF_SOURCE}`;
export const FORGET_NOTE = `DELETE FROM note WHERE ${OF_SOURCE}`;

// ---- Versions ----

export const COUNT_VERSION = `
  INSERT INTO note (account, source, copies) VALUES ($account, $source, 1)
  ON CONFLICT DO UPDATE SET copies = copies + 1 RETURNING key, copies`;
export const ADD_VERSION =
  'INSERT INTO version (owner, number, note, copy) VALUES ($owner, $number, $note, $copy)';
export const TRIM_VERSIONS = `
  DELETE FROM version WHERE owner = $owner AND number IN (
    SELECT number FROM (
      SELECT number, row_number() OVER newest AS place, sum(length(copy)) OVER newest AS bytes
      FROM version WHERE owner = $owner WINDOW newest AS (ORDER BY number DESC)
    ) WHERE place > $most OR (place > 1 AND bytes > $mostBytes))`;
export const VERSIONS = `SELECT number, note FROM version WHERE owner = ${OWNER} ORDER BY number DESC`;
export const VERSION = `SELECT copy FROM version WHERE number = $number AND owner = ${OWNER}`;

// ---- What accounts keep ----

const OF_ACCOUNT = 'FROM version JOIN note ON note.key = owner WHERE account = $account';

export const KEPT = 'SELECT sources, bytes FROM kept WHERE account = $account';
export const SIZE = `SELECT bytes FROM size WHERE kind = 'baseline' AND key = $key`;
export const LEARNED = `
  SELECT learned FROM size WHERE kind = 'baseline' AND key = (SELECT key FROM baseline WHERE ${OF_SOURCE})`;
export const VERSION_BYTES = `SELECT coalesce(sum(length(copy) + ${NOTE_BYTES}), 0) AS bytes ${OF_ACCOUNT}`;
export const DROP_OLDEST = `
  DELETE FROM version WHERE rowid = (SELECT version.rowid ${OF_ACCOUNT} ORDER BY version.rowid LIMIT 1)`;
/** A note without settings, rules and versions says something only beside its baseline. */
export const DROP_EMPTY_NOTES = `
  DELETE FROM note WHERE account = $account AND settings IS NULL
    AND NOT EXISTS (SELECT 1 FROM version WHERE owner = note.key)
    AND NOT EXISTS (SELECT 1 FROM rule WHERE owner = note.key)
    AND NOT EXISTS (SELECT 1 FROM baseline AS b WHERE b.account = note.account AND b.source = note.source)`;
