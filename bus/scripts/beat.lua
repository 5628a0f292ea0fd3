--#keys hash?
--#include heal
-- A worker's heartbeat. KEYS: workers. ARGV: owner, row. A freeing write first: a worker is
-- seen to live when memory is full.
heal()
redis.call('HDEL', KEYS[1], ARGV[1])
return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
