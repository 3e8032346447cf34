/** Lua scripts of `baselines.ts`. Each runs atomically on the keys of one source. */
import { NOTE_BYTES, SOURCE_BYTES, STATE_BYTES } from '../ports.ts';

/** In the order of `notesIn`. */
const NOTE_FIELDS = `'settings', 'pinned', 'since', 'last', 'batches', 'causes', 'rules'`;
const RUN_FIELDS = `'since', 'last', 'batches', 'causes'`;

export const READ = `
  local base = redis.call('HMGET', KEYS[1], 'generation', 'version', 'sequence')
  local notes = redis.call('HMGET', KEYS[4], ${NOTE_FIELDS})
  if not base[1] then return { notes } end
  local complete = base[1] ~= ARGV[1] or base[2] ~= ARGV[2]
  local from = complete and '0' or ARGV[3]
  local ids = redis.call('ZRANGE', KEYS[2], '(' .. from, '+inf', 'BYSCORE')
  local states = {}
  for i, id in ipairs(ids) do states[i] = redis.call('HGET', KEYS[3], id) end
  return { notes, complete and 1 or 0, base[1], base[2], base[3], complete and redis.call('HGET', KEYS[1], 'folded'), ids, states }`;

/**
 * The bytes that the baseline keeps. They are counted again whenever something else than APPEND has changed it, which its
 * version tells, and its sequence for replicas of an older version.
 */
const MEASURED = `
  local function measured()
  local base = redis.call('HMGET', KEYS[1], 'sequence', 'version', 'bytes', 'measured')
  local bytes = tonumber(base[3])
  if base[4] ~= (base[1] or '') .. ' ' .. (base[2] or '') then
    bytes = redis.call('HSTRLEN', KEYS[1], 'folded')
    for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do bytes = bytes + redis.call('HSTRLEN', KEYS[3], id) end
  end
  local ids = redis.call('ZCARD', KEYS[2]) + redis.call('ZCARD', KEYS[4])
  return bytes, bytes + ${SOURCE_BYTES} + ${STATE_BYTES} * ids
  end`;

/** Returns 1, 0 if the state is there already, or the bytes that it needs more room for: ARGV[4] is the room that the account has granted. */
export const APPEND = `${MEASURED}
  if redis.call('HEXISTS', KEYS[3], ARGV[2]) == 1 or redis.call('ZSCORE', KEYS[4], ARGV[2]) then return 0 end
  local bytes, kept = measured()
  local needed = kept + #ARGV[3] + ${STATE_BYTES}
  local room = math.max(tonumber(redis.call('HGET', KEYS[1], 'room') or 0), tonumber(ARGV[4]))
  if needed > room then return needed end
  if redis.call('EXISTS', KEYS[1]) == 0 then
    redis.call('HSET', KEYS[1], 'generation', ARGV[1], 'version', 0, 'sequence', 0)
  end
  local sequence = redis.call('HINCRBY', KEYS[1], 'sequence', 1)
  redis.call('ZADD', KEYS[2], sequence, ARGV[2])
  redis.call('HSET', KEYS[3], ARGV[2], ARGV[3])
  redis.call('HSET', KEYS[1], 'room', room, 'bytes', bytes + #ARGV[3], 'learned', redis.call('TIME')[1],
    'measured', sequence .. ' ' .. redis.call('HGET', KEYS[1], 'version'))
  return 1`;

/** Returns 0 if the baseline has changed, 1, or the bytes that it keeps if they are more than its room. The first ARGV[5] ids are remembered. */
export const FOLD = `${MEASURED}
  local base = redis.call('HMGET', KEYS[1], 'generation', 'version', 'sequence')
  if base[1] ~= ARGV[1] or base[2] ~= ARGV[2] then return 0 end
  redis.call('HSET', KEYS[1], 'folded', ARGV[3])
  redis.call('HINCRBY', KEYS[1], 'version', 1)
  for i = 6, #ARGV do
    local sequence = redis.call('ZSCORE', KEYS[2], ARGV[i])
    if i <= 5 + ARGV[5] then redis.call('ZADD', KEYS[4], sequence or base[3], ARGV[i]) end
    if sequence then
      redis.call('ZREM', KEYS[2], ARGV[i])
      redis.call('HDEL', KEYS[3], ARGV[i])
    end
  end
  redis.call('ZREMRANGEBYRANK', KEYS[4], 0, -1 - ARGV[4])
  local _, kept = measured()
  return kept > tonumber(redis.call('HGET', KEYS[1], 'room') or 0) and kept or 1`;

/** Returns 1, 0 if the baseline has changed, or the bytes that it needs more room for, as APPEND does. The ids after ARGV[5] are remembered. */
export const RESTORE = `
  local base = redis.call('HMGET', KEYS[1], 'generation', 'version', 'room')
  if (base[1] or '') ~= ARGV[1] or (base[2] or '0') ~= ARGV[2] then return 0 end
  local room = math.max(tonumber(base[3] or 0), tonumber(ARGV[5]))
  local needed = #ARGV[4] + ${SOURCE_BYTES} + ${STATE_BYTES} * (#ARGV - 5)
  if needed > room then return needed end
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[1], 'generation', ARGV[3], 'version', 0, 'sequence', 0, 'folded', ARGV[4],
    'room', room, 'learned', redis.call('TIME')[1])
  for i = 6, #ARGV do redis.call('ZADD', KEYS[4], 0, ARGV[i]) end
  redis.call('HDEL', KEYS[5], ${RUN_FIELDS})
  return 1`;

/** Returns 1; 0 if the state is not in the tail, or generation and version, if they are given, are not those of the baseline. */
export const WITHDRAW = `
  local base = redis.call('HMGET', KEYS[1], 'generation', 'version')
  if ARGV[2] and (base[1] ~= ARGV[2] or base[2] ~= ARGV[3]) then return 0 end
  if redis.call('HDEL', KEYS[3], ARGV[1]) == 0 then return 0 end
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('HINCRBY', KEYS[1], 'version', 1)
  return 1`;

/**
 * Returns 0 if the state is folded, else 1. An append that runs later finds the id in `past` and does nothing. An id that was called off
 * has a score that ends with .5; the id of a folded state has its sequence, a whole number.
 */
export const CALL_OFF = `
  local past = redis.call('ZSCORE', KEYS[4], ARGV[1])
  if past and past % 1 == 0 then return 0 end
  redis.call('ZADD', KEYS[4], 'NX', (redis.call('HGET', KEYS[1], 'sequence') or 0) + 0.5, ARGV[1])
  redis.call('ZREMRANGEBYRANK', KEYS[4], 0, -1 - ARGV[2])
  if redis.call('HDEL', KEYS[3], ARGV[1]) == 1 then
    redis.call('ZREM', KEYS[2], ARGV[1])
    redis.call('HINCRBY', KEYS[1], 'version', 1)
  end
  return 1`;

/** Without versions, nothing remembers the number of the last one. */
export const RESET = `
  redis.call('HDEL', KEYS[5], 'pinned', ${RUN_FIELDS})
  if redis.call('EXISTS', KEYS[6]) == 0 then redis.call('HDEL', KEYS[5], 'copies') end
  return redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])`;

/** What an account is charged for a source: room of its baseline (0: none), its versions, its settings, its rules. */
export const MEASURE = `${MEASURED}
  local room = 0
  if redis.call('EXISTS', KEYS[1]) == 1 then
    local _, kept = measured()
    room = math.max(kept, tonumber(redis.call('HGET', KEYS[1], 'room') or 0))
  end
  local versions = 0
  for _, copy in ipairs(redis.call('HKEYS', KEYS[6])) do
    versions = versions + redis.call('HSTRLEN', KEYS[6], copy) + ${NOTE_BYTES}
  end
  local settings = redis.call('HSTRLEN', KEYS[5], 'settings')
  local rules = redis.call('HSTRLEN', KEYS[5], 'rules') + redis.call('HSTRLEN', KEYS[5], 'rulesPast')
  return { room, versions, settings > 0 and settings + ${NOTE_BYTES} or 0, rules > 0 and rules + ${NOTE_BYTES} or 0 }`;

/** A baseline of an older version counts as learned now. */
export const LEARNED = `
  if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
  redis.call('HSETNX', KEYS[1], 'learned', redis.call('TIME')[1])
  return tonumber(redis.call('HGET', KEYS[1], 'learned'))`;

/**
 * Replaces texts of KEYS[1] if others are as the caller thinks. ARGV: how many of the next arguments say what is expected; then pairs of name and expected text; then pairs
 * of name and new text. An empty text means none.
 */
export const SET_TEXTS = `
  local first = tonumber(ARGV[1]) + 2
  for i = 2, first - 1, 2 do
    if (redis.call('HGET', KEYS[1], ARGV[i]) or '') ~= ARGV[i + 1] then return 0 end
  end
  for i = first, #ARGV, 2 do
    if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[i]) else redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
  end
  return 1`;

export const PIN = `
  if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
  if ARGV[1] == '1' then redis.call('HSET', KEYS[1], 'pinned', '1') else redis.call('HDEL', KEYS[1], 'pinned') end
  return 1`;

export const BLOCKED = `
  if redis.call('HGET', KEYS[1], 'since') ~= ARGV[1] then redis.call('HSET', KEYS[1], 'since', ARGV[1], 'batches', 0) end
  redis.call('HSET', KEYS[1], 'last', ARGV[2], 'causes', ARGV[3])
  return redis.call('HINCRBY', KEYS[1], 'batches', 1)`;

export const END_RUN = `return redis.call('HDEL', KEYS[1], ${RUN_FIELDS})`;

/** The counter is in the source's notes, which survive a reset. Returns by how much the kept bytes grow. */
export const KEEP_VERSION = `
  local number = redis.call('HINCRBY', KEYS[1], 'copies', 1)
  redis.call('HSET', KEYS[2], number, ARGV[1])
  redis.call('HSET', KEYS[3], number, ARGV[2])
  local kept = redis.call('HKEYS', KEYS[2])
  table.sort(kept, function(a, b) return tonumber(a) > tonumber(b) end)
  local bytes, growth = 0, #ARGV[2] + ${NOTE_BYTES}
  for place, each in ipairs(kept) do
    local size = redis.call('HSTRLEN', KEYS[3], each)
    bytes = bytes + size
    if place > tonumber(ARGV[3]) or (place > 1 and bytes > tonumber(ARGV[4])) then
      redis.call('HDEL', KEYS[2], each)
      redis.call('HDEL', KEYS[3], each)
      growth = growth - size - ${NOTE_BYTES}
    end
  end
  return growth`;

/** Returns the dropped bytes. Without a baseline and versions, nothing remembers the number of the last one. */
export const DROP_VERSIONS = `
  local dropped = 0
  for _, each in ipairs(redis.call('HKEYS', KEYS[3])) do
    dropped = dropped + redis.call('HSTRLEN', KEYS[3], each) + ${NOTE_BYTES}
  end
  redis.call('DEL', KEYS[2], KEYS[3])
  if redis.call('EXISTS', KEYS[4]) == 0 then redis.call('HDEL', KEYS[1], 'copies') end
  return dropped`;
