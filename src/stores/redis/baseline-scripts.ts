/** Lua scripts of `baselines.ts`. Each runs atomically on the keys of one source, or on the account's list of sources. */
import type { Script } from './connection.ts';
import { NOTE_FIELDS, BASELINE_FIELDS, RUN_FIELDS } from './notes.ts';

export const READ: Script = {
  name: 'sluiceBaselineRead',
  keys: 4,
  lua: `
    local base = redis.call('HMGET', KEYS[1], 'generation', 'version', 'sequence')
    local notes = redis.call('HMGET', KEYS[4], ${NOTE_FIELDS})
    if not base[1] then return { notes } end
    local complete = base[1] ~= ARGV[1] or base[2] ~= ARGV[2]
    local from = complete and '0' or ARGV[3]
    local ids = redis.call('ZRANGE', KEYS[2], '(' .. from, '+inf', 'BYSCORE')
    local states = {}
    for i, id in ipairs(ids) do states[i] = redis.call('HGET', KEYS[3], id) end
    return { notes, complete and 1 or 0, base[1], base[2], base[3], complete and redis.call('HGET', KEYS[1], 'folded'), ids, states }`,
};

/** Returns 0 if there is no baseline and the caller does not ask to create one. */
export const APPEND: Script = {
  name: 'sluiceBaselineAppend',
  keys: 4,
  lua: `
    if redis.call('HEXISTS', KEYS[3], ARGV[2]) == 1 or redis.call('ZSCORE', KEYS[4], ARGV[2]) then return 1 end
    if redis.call('EXISTS', KEYS[1]) == 0 then
      if ARGV[4] ~= 'make' then return 0 end
      redis.call('HSET', KEYS[1], 'generation', ARGV[1], 'version', 0, 'sequence', 0)
    end
    local sequence = redis.call('HINCRBY', KEYS[1], 'sequence', 1)
    redis.call('ZADD', KEYS[2], sequence, ARGV[2])
    redis.call('HSET', KEYS[3], ARGV[2], ARGV[3])
    return 1`,
};

export const FOLD: Script = {
  name: 'sluiceBaselineFold',
  keys: 4,
  lua: `
    local base = redis.call('HMGET', KEYS[1], 'generation', 'version')
    if base[1] ~= ARGV[1] or base[2] ~= ARGV[2] then return 0 end
    redis.call('HSET', KEYS[1], 'folded', ARGV[3])
    redis.call('HINCRBY', KEYS[1], 'version', 1)
    for i = 5, #ARGV do
      local sequence = redis.call('ZSCORE', KEYS[2], ARGV[i])
      if sequence then
        redis.call('ZADD', KEYS[4], sequence, ARGV[i])
        redis.call('ZREM', KEYS[2], ARGV[i])
        redis.call('HDEL', KEYS[3], ARGV[i])
      end
    end
    redis.call('ZREMRANGEBYRANK', KEYS[4], 0, -1 - ARGV[4])
    return 1`,
};

export const RESTORE: Script = {
  name: 'sluiceBaselineRestore',
  keys: 5,
  lua: `
    local base = redis.call('HMGET', KEYS[1], 'generation', 'version')
    if (base[1] or '') ~= ARGV[1] or (base[2] or '0') ~= ARGV[2] then return 0 end
    redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
    redis.call('HSET', KEYS[1], 'generation', ARGV[3], 'version', 0, 'sequence', 0, 'folded', ARGV[4])
    redis.call('HDEL', KEYS[5], ${RUN_FIELDS})
    return 1`,
};

export const WITHDRAW: Script = {
  name: 'sluiceBaselineWithdraw',
  keys: 3,
  lua: `
    if redis.call('HDEL', KEYS[3], ARGV[1]) == 0 then return 0 end
    redis.call('ZREM', KEYS[2], ARGV[1])
    redis.call('HINCRBY', KEYS[1], 'version', 1)
    return 1`,
};

/** Cancels an append without an answer. It may have run; if it runs later, it finds its id among the folded ones and does nothing. */
export const CALL_OFF: Script = {
  name: 'sluiceBaselineCallOff',
  keys: 4,
  lua: `
    redis.call('ZADD', KEYS[4], 'NX', redis.call('HGET', KEYS[1], 'sequence') or 0, ARGV[1])
    redis.call('ZREMRANGEBYRANK', KEYS[4], 0, -1 - ARGV[2])
    if redis.call('HDEL', KEYS[3], ARGV[1]) == 0 then return 0 end
    redis.call('ZREM', KEYS[2], ARGV[1])
    return redis.call('HINCRBY', KEYS[1], 'version', 1)`,
};

export const RESET: Script = {
  name: 'sluiceBaselineReset',
  keys: 5,
  lua: `
    redis.call('HDEL', KEYS[5], ${BASELINE_FIELDS})
    return redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])`,
};

export const EXISTS: Script = {
  name: 'sluiceBaselineExists',
  keys: 1,
  lua: `return redis.call('EXISTS', KEYS[1])`,
};

export const ADD_SOURCE: Script = {
  name: 'sluiceSourceAdd',
  keys: 1,
  lua: `return redis.call('ZADD', KEYS[1], 0, ARGV[1])`,
};

export const REMOVE_SOURCE: Script = {
  name: 'sluiceSourceRemove',
  keys: 1,
  lua: `return redis.call('ZREM', KEYS[1], ARGV[1])`,
};

export const SOURCES: Script = {
  name: 'sluiceSources',
  keys: 1,
  lua: `return redis.call('ZRANGE', KEYS[1], ARGV[1], '+', 'BYLEX', 'LIMIT', 0, ARGV[2])`,
};
