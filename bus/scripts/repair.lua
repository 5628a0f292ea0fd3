--#keys hash zset?
--#include heal
-- head > folded without a due member, or with one that is due later than any lease or back-off
-- lasts: makes it due. KEYS: meta, due:fold. ARGV: session, bucket's wake, longest wait in ms.
-- Reply: 1 repaired, 0 nothing to repair.
local meta = redis.call('HMGET', KEYS[1], 'head', 'folded')
local head, folded = tonumber(meta[1] or ''), tonumber(meta[2] or '')
if not head or not folded or head <= folded then return 0 end -- or nobody can say
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local score = ask('ZSCORE', KEYS[2], ARGV[1])
if score and (tonumber(score) or now) < now + tonumber(ARGV[3]) then return 0 end
heal()
redis.call('ZADD', KEYS[2], string.format('%.0f', now), ARGV[1])
redis.call('PUBLISH', ARGV[2], 'fold -')
return 1
