--#keys zset hash? string?
--#include heal
-- KEYS: due, claims, taken. ARGV: owner, nonce, count, lease ms, head start ms.
-- Reply: ms until the next member falls due or -1, then member, tries of each.
-- A resend with the same nonce gets the first reply again.
local due, claims, taken = KEYS[1], KEYS[2], KEYS[3]
local LONGEST = 86400000 -- ms that anybody is sent to wait
local owner, nonce, most, lease, start = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

local before = ask('GET', taken)
if before then
  local read, again = pcall(cjson.decode, before)
  if read and type(again) == 'table' and again[1] == nonce then
    table.remove(again, 1)
    return again
  end
end

local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function whole(number) return string.format('%.0f', number) end

-- A member that fell due within the head start goes to its last owner alone; one
-- whose lease ran out goes to anyone.
local found = redis.call('ZRANGEBYSCORE', due, '-inf', whole(now), 'WITHSCORES', 'LIMIT', 0, most * 8 + 64)
local mine, wait = {}, -1
if #found > 0 then
  local members = {}
  for i = 1, #found, 2 do members[#members + 1] = found[i] end
  local holders = ask('HMGET', claims, unpack(members)) or {}
  for i = 1, #members do
    if #mine == most then
      wait = 0
      break
    end
    local held, last, tries = string.match(holders[i] or '', '^(%S+) (%S+) (%d+)$')
    if not held or #tries > 15 then held, last, tries = '-', '-', '0' end -- no lease: free
    local free = tonumber(found[2 * i]) + start
    local early = held == '-' and last ~= '-' and last ~= owner and free > now -- fence: affinity
    if early then
      if wait < 0 or free - now < wait then wait = free - now end
    else
      mine[#mine + 1] = {members[i], tries}
    end
  end
end
if wait ~= 0 then
  local later = redis.call('ZRANGEBYSCORE', due, '(' .. whole(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  if #later > 0 and (wait < 0 or tonumber(later[2]) - now < wait) then
    wait = tonumber(later[2]) - now
  end
end

wait = math.min(wait, LONGEST) -- a member may be due never
heal()
local reply = {whole(wait)}
for i = 1, #mine do
  local member, tries = mine[i][1], tonumber(mine[i][2])
  redis.call('ZREM', due, member) -- a freeing write first: taking works when memory is full
  redis.call('ZADD', due, whole(now + lease), member)
  redis.call('HSET', claims, member, nonce .. ' ' .. owner .. ' ' .. whole(tries + 1))
  reply[#reply + 1] = member
  reply[#reply + 1] = whole(tries)
end
if #mine > 0 then
  redis.call('SET', taken, cjson.encode({nonce, unpack(reply)}), 'PX', whole(lease))
end
return reply
