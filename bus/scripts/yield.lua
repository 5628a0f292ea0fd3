--#keys zset hash?
-- Gives a claim back. KEYS: due, claims. ARGV: member, nonce, bucket's wake,
-- lane, ms until it may be taken again. Who hands back did not die: this take
-- is no try.
-- Reply: 1 given back, 0 it was not held any more.
local holder, owner, tries = string.match(ask('HGET', KEYS[2], ARGV[1]) or '', '^(%S+) (%S+) (%d+)$')
if holder ~= ARGV[2] then return 0 end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[1], string.format('%.0f', now + tonumber(ARGV[5])), ARGV[1])
-- The next one need not wait for an owner who let go: no head start.
redis.call('HSET', KEYS[2], ARGV[1], '- - ' .. string.format('%.0f', math.max(tonumber(tries) - 1, 0)))
if tonumber(ARGV[5]) == 0 then redis.call('PUBLISH', ARGV[3], ARGV[4] .. ' -') end
return 1
