--#keys hash
-- Another word for a closed session. KEYS: meta. ARGV: status.
-- Replies: ok | missing | open
local status = redis.call('HGET', KEYS[1], 'status')
if not status then return {'missing'} end
if status == 'open' then return {'open'} end
redis.call('HSET', KEYS[1], 'status', ARGV[1])
return {'ok'}
