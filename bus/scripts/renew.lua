--#keys zset hash?
-- KEYS: due, claims. ARGV: member, nonce, lease ms. Reply: 1 held, 0 lost.
local held = string.match(ask('HGET', KEYS[2], ARGV[1]) or '', '^%S+')
if held ~= ARGV[2] then return 0 end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREM', KEYS[1], ARGV[1]) -- a freeing write first: renewing works when memory is full
redis.call('ZADD', KEYS[1], string.format('%.0f', now + tonumber(ARGV[3])), ARGV[1])
return 1
