--#keys appending stream zset zset zset hash?
--#include append
--#include heal
-- KEYS 7..11: facts, due:effects, due:upgrades, due:votes, memory (by this build of the fold).
-- ARGV: session, wake, bucket's wake, nonce, to, identity of the entry at `to`,
-- skips honoured, '1' when done, facts kept, build, snapshot's n, bytes
-- and checksum ('' for none), the entry after which this commit's facts and
-- effects begin, the incarnation that was folded or '', number of facts, id and body of each, then of each effect: lane,
-- member, number of result ids, the ids.
-- Replies: ok folded head held builds | missing | fenced reason | unindexed. The snapshots of `builds` are
-- of no use any more (shed).
local FACTS, MEMORY = KEYS[7], KEYS[11]
local OWED = {effects = KEYS[8], upgrades = KEYS[9], votes = KEYS[10]}
local session, nonce, to = ARGV[1], ARGV[4], tonumber(ARGV[5])
local meta = redis.call('HMGET', META, 'head', 'folded', 'skips', 'builds', 'incarnation')
if not meta[1] then return {'missing'} end
local head, before = number(META, 'head', meta[1]), number(META, 'folded', meta[2])

if unindexed(head) then return {'unindexed'} end

local function skipped(upto)
  local passed = 0
  for seq in string.gmatch(meta[3] or '', '%d+') do
    if tonumber(seq) <= upto then passed = passed + 1 end
  end
  return passed
end
if ARGV[15] ~= '' and ARGV[15] ~= meta[5] then return {'fenced', 'the session was replaced or redacted since it was folded'} end -- fence: incarnation
if identity(ARGV[5]) ~= ARGV[6] then return {'fenced', 'entry ' .. ARGV[5] .. ' is not the one that was folded'} end -- fence: identity
if skipped(to) ~= tonumber(ARGV[7]) then return {'fenced', 'an entry up to ' .. ARGV[5] .. ' was set aside meanwhile'} end -- fence: skips
if tonumber(ARGV[14]) > before then return {'fenced', 'what was recorded of entries up to ' .. ARGV[14] .. ' is lost'} end -- fence: after

local holder, owner = string.match(ask('HGET', CLAIMS, session) or '', '^(%S+) (%S+)')
if not holder then holder, owner = '-', '-' end
heal()

-- A freeing write first: draining goes on when memory is full.
local trimmed = redis.call('XTRIM', FACTS, 'MAXLEN', '~', ARGV[9])
if trimmed > 0 then
  local oldest = redis.call('XRANGE', FACTS, '-', '+', 'COUNT', 1)[1]
  redis.call('HSET', META, 'facts_from', oldest and oldest[1] or '0-0')
end

local folded = math.max(before, to) -- fence: monotonic
if folded ~= before then redis.call('HSET', META, 'folded', whole(folded)) end

local at = 17
local told = false
for _ = 1, tonumber(ARGV[16]) do
  -- What is folded has told its facts; Redis itself refuses an id a second time.
  if tonumber(string.match(ARGV[at], '^%d+')) > before then
    redis.pcall('XADD', FACTS, ARGV[at], 'fact', ARGV[at + 1])
    told = true
  end
  at = at + 2
end

local surplus = ''
if ARGV[12] ~= '' then
  local stored = redis.call('HMGET', MEMORY, 'upto', 'identity', 'skips')
  local upto = tonumber(string.match(string.sub(stored[1] or '', 1, 16), '^%d+$') or '-1')
  local stale = upto >= to and (identity(whole(upto)) ~= stored[2] or skipped(upto) ~= tonumber(stored[3]))
  if to > upto or stale then -- fence: snapshot
    redis.call('HSET', MEMORY, 'upto', ARGV[5], 'n', ARGV[11], 'skips', ARGV[7],
      'identity', ARGV[6], 'bytes', ARGV[12], 'checksum', ARGV[13])
    local builds = {} -- that have a snapshot; the one that stored its own last comes last
    for each in string.gmatch(meta[4] or '', '%S+') do
      if each ~= ARGV[10] then builds[#builds + 1] = each end
    end
    builds[#builds + 1] = ARGV[10]
    local stored_by = table.concat(builds, ' ')
    if stored_by ~= meta[4] then redis.call('HSET', META, 'builds', stored_by) end
    surplus = table.concat(builds, ' ', 1, #builds - 2)
  end
end

local now = milliseconds()
local woken = {}
while at <= #ARGV do
  local lane, member, results = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local done = false
  for i = 1, results do
    if redis.call('HEXISTS', IDS, ARGV[at + 2 + i]) == 1 then done = true end -- fence: result
  end
  if not done and redis.call('ZADD', OWED[lane], 'NX', now, member) == 1 then
    tally(META, 'due_' .. lane, 1)
    woken[lane] = true
  end
  at = at + 3 + results
end

local held = holder == nonce
if held and ARGV[8] == '1' then
  redis.call('HSET', CLAIMS, session, '- ' .. owner .. ' 0')
  if head > folded then -- fence: rearm
    redis.call('ZADD', DUE, now, session)
    redis.call('PUBLISH', ARGV[3], 'fold ' .. owner)
  else
    redis.call('ZREM', DUE, session)
  end
elseif folded > before and holder ~= '-' then -- fence: progress
  -- by whomever: the entries in hand kill nobody
  redis.call('HSET', CLAIMS, session, holder .. ' ' .. owner .. ' 1')
end

for lane in pairs(woken) do redis.call('PUBLISH', ARGV[3], lane .. ' -') end
if told then redis.call('PUBLISH', ARGV[2], whole(head) .. ' ' .. owner) end
return {'ok', whole(folded), whole(head), held and 1 or 0, surplus}
