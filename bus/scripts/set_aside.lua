--#keys appending stream
--#include append
-- KEYS 7: dead. ARGV: session, wake, bucket's wake, seq, reason, id,
-- fingerprint, body of the entry.set_aside.
-- Replies: ok | there | missing | folded | beyond | unindexed
local seq = tonumber(ARGV[4])
local meta = redis.call('HMGET', META, 'head', 'n', 'folded', 'skips')
if not meta[1] then return {'missing'} end
local head, n, folded = number(META, 'head', meta[1]), number(META, 'n', meta[2]), number(META, 'folded', meta[3])
if unindexed(head) then return {'unindexed'} end
local skips, place = {}, 1
for skip in string.gmatch(meta[4] or '', '%d+') do
  if tonumber(skip) == seq then return {'there'} end
  skips[#skips + 1] = skip
  if tonumber(skip) < seq then place = #skips + 1 end
end
if seq <= folded then return {'folded', meta[3]} end -- fence: folded
if seq > head then return {'beyond', meta[1]} end

local now = milliseconds()
table.insert(skips, place, ARGV[4])
append(ARGV[1], {{head + 1, n, ARGV[6], ARGV[7], 'k', ARGV[8]}}, now, ARGV[2], ARGV[3])
redis.call('HSET', META, 'skips', table.concat(skips, ','))
local found = redis.call('XRANGE', LOG, ARGV[4], ARGV[4], 'COUNT', 1)[1]
local fields = {'session', ARGV[1], 'seq', ARGV[4], 'reason', ARGV[5]}
for i = 1, found and #found[2] or 0 do fields[#fields + 1] = found[2][i] end
redis.pcall('XADD', KEYS[7], '*', unpack(fields)) -- a copy: a stream that is at its end takes none
-- The deaths were this entry's: the next one starts from none.
local nonce, owner = string.match(ask('HGET', CLAIMS, ARGV[1]) or '', '^(%S+) (%S+)')
if nonce then redis.call('HSET', CLAIMS, ARGV[1], nonce .. ' ' .. owner .. (nonce == '-' and ' 0' or ' 1')) end
return {'ok'}
