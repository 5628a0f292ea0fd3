-- head > folded without a due member: makes it due. KEYS: meta, due:fold.
-- ARGV: session, bucket's wake. Reply: 1 repaired, 0 nothing to repair.
local meta = redis.call('HMGET', KEYS[1], 'head', 'folded')
if not meta[1] or tonumber(meta[1]) <= tonumber(meta[2]) then return 0 end
local time = redis.call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
local repaired = redis.call('ZADD', KEYS[2], 'NX', now, ARGV[1])
if repaired == 1 then redis.call('PUBLISH', ARGV[2], 'fold -') end
return repaired
