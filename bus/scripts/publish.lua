--#keys appending
--#include append
-- ARGV: session, wake channel, bucket's wake channel, expected epoch or '',
-- tip or '', expected incarnation or '', '1' where entries that were acknowledged are
-- offered again or '', then id, fingerprint, class, body of each entry. Class: p primary, k control, d derived, x closing, e<epoch> an entry that
-- begins that epoch of the floor: the one after the current, or nothing is written.
-- The tip is the last id acknowledged to this publisher: where the log lost it,
-- nothing is written. A closing and a full backlog keep out what is new, not what
-- was acknowledged before the log went back.
-- Replies: ok incarnation head n [k seq n]… (head and n before; k-th entry was
-- there) | missing | lost incarnation | fenced reason | conflict k seq | closed |
-- stale epoch [epoch wanted] | busy backlog | unindexed (nothing else is known of it then)
local session = ARGV[1]
local meta = redis.call('HMGET', META, 'head', 'n', 'status', 'folded', 'backlog', 'epoch', 'incarnation')
if not meta[1] then return {'missing'} end
local head = number(META, 'head', meta[1])
if unindexed(head) then return {'unindexed'} end -- fence: index
if ARGV[5] ~= '' and redis.call('HEXISTS', IDS, ARGV[5]) == 0 then return {'lost', meta[7]} end -- fence: tip
if ARGV[6] ~= '' and ARGV[6] ~= meta[7] then return {'fenced', 'the session was replaced or redacted since it was read'} end -- fence: incarnation

local names, count = {}, (#ARGV - 7) / 4
for k = 1, count do names[k] = ARGV[4 * k + 4] end
local known = redis.call('HMGET', IDS, unpack(names))

local n, epoch = number(META, 'n', meta[2]), number(META, 'epoch', meta[6])
local backlog, room = head - number(META, 'folded', meta[4]), number(META, 'backlog', meta[5])
local reply = {'ok', meta[7], whole(head), whole(n)}
local fresh, here = {}, {}
for k = 1, count do
  local i = 4 * k + 4
  local id, fingerprint, class = names[k], ARGV[i + 1], ARGV[i + 2]
  local before = known[k] or here[id]
  if before then -- fence: duplicate
    local seq, number, other = string.match(before, '^(%d+)-(%d+) (%S+)$')
    if not seq then damaged(IDS, 'has no place for an id') end
    local same = other == fingerprint or other == '-' -- of a redacted entry nothing is left to compare
    if not same and class ~= 'd' then return {'conflict', k, seq} end -- fence: conflict
    reply[#reply + 1] = k
    reply[#reply + 1] = seq
    reply[#reply + 1] = number
  else
    head = head + 1
    if class == 'p' then n = n + 1 end
    here[id] = whole(head) .. '-' .. whole(n) .. ' ' .. fingerprint
    fresh[#fresh + 1] = {head, n, id, fingerprint, class, ARGV[i + 3]}
  end
end
if #fresh == 0 then return reply end

local again = ARGV[7] == '1'
if meta[3] ~= 'open' and not again then return {'closed'} end -- fence: closed
if ARGV[4] ~= '' and ARGV[4] ~= meta[6] then return {'stale', meta[6]} end -- fence: epoch
for i = 1, #fresh do
  local begun = tonumber(string.match(fresh[i][5], '^e(%d+)$'))
  if begun then
    if begun ~= epoch + 1 then return {'stale', whole(epoch), whole(begun - 1)} end -- fence: floor
    epoch = begun
  end
end
if not again and backlog + #fresh > room and backlog > 0 then return {'busy', whole(backlog)} end -- fence: backlog

append(session, fresh, milliseconds(), ARGV[2], ARGV[3])
if again then tally(META, 'healed', #fresh) end
if whole(epoch) ~= meta[6] then redis.call('HSET', META, 'epoch', whole(epoch)) end
return reply
