--#include append
--#include forget
-- ARGV: session, wake, incarnation. Replies: ok | missing | other
local standing = redis.call('HGET', META, 'incarnation')
if not standing then
  if redis.call('GET', KEYS[8]) == ARGV[3] then return {'ok'} end
  return {'missing'}
end
if standing ~= ARGV[3] then return {'other'} end
forget(ARGV[1], 17)
redis.call('SET', KEYS[8], standing, 'PX', 60000)
redis.call('PUBLISH', ARGV[2], '0 -')
return {'ok'}
