-- Included by every script that appends. KEYS 1..6: log meta ids due:fold
-- claims:fold sessions. Time is Redis' own.
local LOG, META, IDS, DUE, CLAIMS, SESSIONS = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]

local function milliseconds()
  local time = redis.call('TIME')
  return string.format('%.0f', tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
end

local function whole(number)
  return string.format('%.0f', number)
end

-- The id, receive time and client id of the entry at seq; nil where there is none. A time that
-- is none, of a stranger's entry, is 0.
local function identity(seq)
  local found = redis.call('XRANGE', LOG, seq, seq, 'COUNT', 1)[1]
  if not found then return nil end
  local id, time
  for i = 1, #found[2], 2 do
    if found[2][i] == 'id' then id = found[2][i + 1] end
    if found[2][i] == 't' then time = found[2][i + 1] end
  end
  if not time or #time > 15 or not string.match(time, '^%d+$') then time = '0' end
  return found[1] .. ' ' .. time .. ' ' .. (id or '')
end

-- Every entry up to the head is in the log, and its id in the index, from its append on. Fails
-- where entries are gone; true where ids are: `index` puts those back.
local function unindexed(head)
  local there = redis.call('XLEN', LOG)
  if there < head then damaged(LOG, 'has ' .. whole(there) .. ' of ' .. whole(head) .. ' entries') end
  return redis.call('HLEN', IDS) < head
end

local function last_owner(session)
  return string.match(ask('HGET', CLAIMS, session) or '', '^%S+ (%S+)') or '-'
end

-- Writes checked entries {seq, n, id, fingerprint, class, body}, ascending. XADD
-- comes first: a full Redis, and a log that ends elsewhere, refuse a script only at its
-- first growing write, so an append is refused whole or not at all.
local function append(session, entries, now, wake, bucket_wake)
  local known, last = {}, entries[#entries]
  for i = 1, #entries do
    local entry = entries[i]
    local at = whole(entry[1]) .. '-' .. whole(entry[2])
    redis.call('XADD', LOG, at, 'id', entry[3], 't', now, 'entry', entry[6])
    known[2 * i - 1] = entry[3]
    known[2 * i] = at .. ' ' .. entry[4]
    if entry[5] == 'x' then redis.call('HSET', META, 'status', 'closed') end
  end
  redis.call('HSET', IDS, unpack(known))
  redis.call('HSET', META, 'head', whole(last[1]), 'n', whole(last[2]))
  redis.call('ZADD', SESSIONS, now, session)
  local owner = last_owner(session)
  if redis.call('ZADD', DUE, 'NX', now, session) == 1 then
    redis.call('PUBLISH', bucket_wake, 'fold ' .. owner)
  end
  redis.call('PUBLISH', wake, whole(last[1]) .. ' ' .. owner)
end
