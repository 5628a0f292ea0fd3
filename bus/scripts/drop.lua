--#keys zset hash? hash
-- Takes an effect that is moot off its lane. KEYS: due, claims, meta.
-- ARGV: member, nonce, lane, the head up to which it is moot or ''.
-- Reply: 1 dropped, 0 it was not held any more, or the log moved on.
local held = string.match(ask('HGET', KEYS[2], ARGV[1]) or '', '^%S+')
if held ~= ARGV[2] then return 0 end
if ARGV[4] ~= '' and redis.call('HGET', KEYS[3], 'head') ~= ARGV[4] then return 0 end -- fence: moot
redis.call('HDEL', KEYS[2], ARGV[1])
if redis.call('ZREM', KEYS[1], ARGV[1]) == 1 and redis.call('EXISTS', KEYS[3]) == 1 then
  tally(KEYS[3], 'due_' .. ARGV[3], -1)
end
return 1
