--#keys stream hash
-- Part of a restore: writes records beside the session. KEYS: staged log, staged
-- ids. ARGV: stream id, id, t, fingerprint, body of each record, ascending.
-- A resend adds nothing. Reply: the records now staged.
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local done = last and tonumber(string.match(last[1], '^%d+')) or 0
for i = 1, #ARGV, 5 do
  if tonumber(string.match(ARGV[i], '^%d+')) > done then
    redis.call('XADD', KEYS[1], ARGV[i], 'id', ARGV[i + 1], 't', ARGV[i + 2], 'entry', ARGV[i + 4])
    redis.call('HSET', KEYS[2], ARGV[i + 1], ARGV[i] .. ' ' .. ARGV[i + 3])
  end
end
redis.call('EXPIRE', KEYS[1], 3600)
redis.call('EXPIRE', KEYS[2], 3600)
return redis.call('XLEN', KEYS[1])
