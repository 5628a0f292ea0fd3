--#keys appending zset hash?
--#include append
--#include heal
-- KEYS 7, 8: due and claims of the effect's lane. ARGV: session, wake, bucket's
-- wake, lane, member, identity of the last input or '', id, fingerprint,
-- class, body, the incarnation that was read or ''. A closed session still takes its results: they change nothing that
-- was said. Replies: ok seq n duplicate | missing | fenced reason | unindexed
local lane, member, input = ARGV[4], ARGV[5], ARGV[6]
local meta = redis.call('HMGET', META, 'head', 'n', 'incarnation')
local function settle()
  heal()
  redis.call('HDEL', KEYS[8], member)
  if redis.call('ZREM', KEYS[7], member) == 1 and meta[1] then
    tally(META, 'due_' .. lane, -1)
  end
end
if not meta[1] then
  settle()
  return {'missing'}
end
if unindexed(number(META, 'head', meta[1])) then return {'unindexed'} end
if input ~= '' and identity(string.match(input, '^%d+')) ~= input then return {'fenced', 'the input of ' .. ARGV[7] .. ' is no longer in the log'} end -- fence: input

if ARGV[11] ~= '' and ARGV[11] ~= meta[3] then return {'fenced', 'the session was replaced or redacted since ' .. ARGV[7] .. ' was begun'} end -- fence: incarnation

local before = redis.call('HGET', IDS, ARGV[7])
if before then -- the first result stands, whatever it says
  local seq, n = string.match(before, '^(%d+)-(%d+)')
  if not seq then damaged(IDS, 'has no place for ' .. ARGV[7]) end
  settle()
  return {'ok', seq, n, 1}
end
local head, n = number(META, 'head', meta[1]) + 1, number(META, 'n', meta[2])
if ARGV[9] == 'p' then n = n + 1 end
append(ARGV[1], {{head, n, ARGV[7], ARGV[8], ARGV[9], ARGV[10]}}, milliseconds(), ARGV[2], ARGV[3])
settle()
return {'ok', whole(head), whole(n), 0}
