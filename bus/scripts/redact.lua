--#keys stream hash hash zset hash? zset any string? zset hash? zset hash? zset hash? stream hash stream any
--#include append
--#include forget
-- Puts a staged log, in which an entry has lost its words, in the session's place.
-- KEYS 17: dead; the snapshots follow. ARGV: session, wake, bucket's wake, new
-- incarnation, incarnation to replace, the records staged, fingerprint and body of
-- the entry.redacted, sequence numbers that lost their words (commas around each).
-- Primary entries that came since are copied; anything else is for the caller to
-- read: behind. The session keeps its status, skips, epoch and origin.
-- Replies: ok seq n | there (a resend) | missing | other | unstaged | behind
local STAGED, NAMES, DEAD = KEYS[15], KEYS[16], KEYS[17]
local session = ARGV[1]
local meta = redis.call('HMGET', META, 'incarnation', 'head', 'n', 'base', 'status', 'skips', 'epoch', 'backlog', 'created_ms', 'origin', 'healed', 'builds')
if not meta[1] then return {'missing'} end
if meta[1] == ARGV[4] then return {'there', meta[2], meta[3]} end
if meta[1] ~= ARGV[5] then return {'other'} end -- fence: incarnation
local last = redis.call('XREVRANGE', STAGED, '+', '-', 'COUNT', 1)[1]
if not last or redis.call('XLEN', STAGED) ~= tonumber(ARGV[6]) or redis.call('HLEN', NAMES) ~= tonumber(ARGV[6]) then return {'unstaged'} end

local _, builds = string.gsub(meta[12] or '', '%S+', '')
if builds ~= #KEYS - 17 then return {'other'} end -- a snapshot that was not declared

local function numbers(at)
  local seq, n = string.match(at, '^(%d+)-(%d+)$')
  return tonumber(seq), tonumber(n)
end
local seq, n = numbers(last[1])
local since = redis.call('XRANGE', LOG, whole(seq + 1), '+', 'COUNT', 501)
if #since > 500 then return {'behind'} end
local known, places = {}, {}
for i = 1, #since do
  local here, of = numbers(since[i][1])
  if here ~= seq + 1 or of ~= n + 1 then return {'behind'} end
  for k = 1, #since[i][2], 2 do
    if since[i][2][k] == 'id' then known[i] = since[i][2][k + 1] end
  end
  if not known[i] then damaged(LOG, 'has an entry without an id at ' .. since[i][1]) end
  places[i] = redis.call('HGET', IDS, known[i])
  if not places[i] then damaged(IDS, 'lacks the id of entry ' .. since[i][1]) end
  seq, n = here, of
end
if seq ~= number(META, 'head', meta[2]) or n ~= number(META, 'n', meta[3]) then return {'behind'} end

-- The growing writes first: a full Redis refuses them, and nothing has changed.
local now = milliseconds()
for i = 1, #since do
  redis.call('XADD', STAGED, since[i][1], unpack(since[i][2]))
  redis.call('HSET', NAMES, known[i], places[i])
end
local at = whole(seq + 1) .. '-' .. whole(n)
local name = 'redacted:' .. whole(seq + 1)
redis.call('XADD', STAGED, at, 'id', name, 't', now, 'entry', ARGV[8])
redis.call('HSET', NAMES, name, at .. ' ' .. ARGV[7])

forget(session, 18)
redis.call('RENAME', STAGED, LOG)
redis.call('RENAME', NAMES, IDS)
redis.call('PERSIST', LOG)
redis.call('PERSIST', IDS)
redis.call('HSET', META, 'incarnation', ARGV[4], 'head', whole(seq + 1), 'n', whole(n), 'folded', '0')
local fields = {'base', 'status', 'skips', 'epoch', 'backlog', 'created_ms', 'origin', 'healed'}
for i = 1, #fields do redis.call('HSET', META, fields[i], meta[i + 3] or '') end

-- Copies of what was set aside. The stream is written anew: Redis leaves the bytes
-- of a deleted entry where they are.
local kept, gone = {}, false
for _, row in ipairs(redis.call('XRANGE', DEAD, '-', '+')) do
  local of, where = '', ''
  for i = 1, #row[2], 2 do
    if row[2][i] == 'session' then of = row[2][i + 1] end
    if row[2][i] == 'seq' then where = row[2][i + 1] end
  end
  if of == session and string.find(ARGV[9], ',' .. where .. ',', 1, true) then
    gone = true
  else
    kept[#kept + 1] = row
  end
end
if gone then
  redis.call('UNLINK', DEAD)
  for _, row in ipairs(kept) do redis.call('XADD', DEAD, row[1], unpack(row[2])) end
end

redis.call('ZADD', DUE, now, session)
redis.call('ZADD', SESSIONS, now, session)
redis.call('PUBLISH', ARGV[3], 'fold -')
redis.call('PUBLISH', ARGV[2], whole(seq + 1) .. ' -')
return {'ok', whole(seq + 1), whole(n)}
