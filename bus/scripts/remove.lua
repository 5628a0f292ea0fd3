--#keys any hash any zset hash? zset any string? zset hash? zset hash? zset hash? any
--#include append
--#include forget
-- ARGV: session, wake, incarnation, head that it must have or ''. Replies: ok | missing |
-- other | grown
local standing = redis.call('HGET', META, 'incarnation')
if not standing then
  if ask('GET', KEYS[8]) == ARGV[3] then return {'ok'} end
  return {'missing'}
end
if standing ~= ARGV[3] then return {'other'} end
if ARGV[4] ~= '' and redis.call('HGET', META, 'head') ~= ARGV[4] then return {'grown'} end -- fence: head
forget(ARGV[1], 17)
redis.call('SET', KEYS[8], standing, 'PX', 60000)
redis.call('PUBLISH', ARGV[2], '0 -')
return {'ok'}
