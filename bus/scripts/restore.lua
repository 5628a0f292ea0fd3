--#keys any hash? any zset hash? zset any string? zset hash? zset hash? zset hash? stream hash any
--#include append
--#include forget
-- Puts a staged log in the session's place. ARGV: session, wake, bucket's wake,
-- new incarnation, incarnation to replace or '', head, n, status, skips, epoch,
-- backlog limit, origin. Replies: ok | there (a resend) | exists | unstaged
local standing = ask('HGET', META, 'incarnation')
if standing == ARGV[4] then return {'there'} end
if standing and standing ~= ARGV[5] then return {'exists'} end
if redis.call('XLEN', KEYS[15]) ~= tonumber(ARGV[6]) or redis.call('HLEN', KEYS[16]) ~= tonumber(ARGV[6]) then return {'unstaged'} end
forget(ARGV[1], 17)
redis.call('RENAME', KEYS[15], LOG)
redis.call('RENAME', KEYS[16], IDS)
redis.call('PERSIST', LOG)
redis.call('PERSIST', IDS)
local now = milliseconds()
redis.call('HSET', META, 'incarnation', ARGV[4], 'head', ARGV[6], 'n', ARGV[7], 'folded', '0',
  'base', '0', 'status', ARGV[8], 'skips', ARGV[9], 'epoch', ARGV[10], 'backlog', ARGV[11],
  'created_ms', now, 'origin', ARGV[12])
redis.call('ZADD', DUE, now, ARGV[1])
redis.call('ZADD', SESSIONS, now, ARGV[1])
redis.call('PUBLISH', ARGV[3], 'fold -')
redis.call('PUBLISH', ARGV[2], ARGV[6] .. ' -')
return {'ok'}
