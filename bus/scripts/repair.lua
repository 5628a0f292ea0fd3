-- head > folded without a due member, or with one that is due later than any lease or back-off
-- lasts: makes it due. KEYS: meta, due:fold. ARGV: session, bucket's wake, longest wait in ms.
-- Reply: 1 repaired, 0 nothing to repair.
local meta = redis.call('HMGET', KEYS[1], 'head', 'folded')
if not meta[1] or tonumber(meta[1]) <= tonumber(meta[2]) then return 0 end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local score = redis.call('ZSCORE', KEYS[2], ARGV[1])
if score and tonumber(score) < now + tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[2], string.format('%.0f', now), ARGV[1])
redis.call('PUBLISH', ARGV[2], 'fold -')
return 1
