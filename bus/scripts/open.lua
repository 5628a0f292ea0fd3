--#keys appending string?
--#include append
-- KEYS 7: gone. ARGV: session, wake, bucket's wake, incarnation, backlog limit,
-- '1' for a re-offer, id, fingerprint, body.
-- Replies: ok | there (this very incarnation: a resend) | exists | gone
local session, incarnation = ARGV[1], ARGV[4]
local standing = redis.call('HGET', META, 'incarnation')
if standing == incarnation then return {'there'} end
if standing then return {'exists'} end
if redis.call('EXISTS', LOG, IDS) > 0 then damaged(META, 'is gone, beside a log or its index') end
-- A redaction adds to the name of the incarnation: what it is of stays before the dot.
local gone = string.match(ask('GET', KEYS[7]) or '', '^[^.]+')
if ARGV[6] == '1' and gone == string.match(incarnation, '^[^.]+') then return {'gone'} end -- fence: gone

local now = milliseconds()
redis.call('XADD', LOG, '1-0', 'id', ARGV[7], 't', now, 'entry', ARGV[9])
redis.call('HSET', META, 'incarnation', incarnation, 'head', '1', 'n', '0', 'folded', '0',
  'base', '0', 'status', 'open', 'skips', '', 'epoch', '0', 'backlog', ARGV[5],
  'created_ms', now, 'origin', '', 'healed', ARGV[6])
redis.call('HSET', IDS, ARGV[7], '1-0 ' .. ARGV[8])
redis.pcall('HDEL', CLAIMS, session)
redis.call('ZADD', DUE, now, session)
redis.call('ZADD', SESSIONS, now, session)
redis.call('PUBLISH', ARGV[3], 'fold -')
redis.call('PUBLISH', ARGV[2], '1 -')
return {'ok'}
