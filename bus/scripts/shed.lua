--#keys hash any
-- Drops snapshots by all builds but the two that stored one last. KEYS: meta, then the snapshots.
-- ARGV: the build of each. Reply: how many were dropped.
local builds = {}
for each in string.gmatch(redis.call('HGET', KEYS[1], 'builds') or '', '%S+') do
  builds[#builds + 1] = each
end
local kept = {}
for i = math.max(1, #builds - 1), #builds do kept[builds[i]] = true end -- fence: kept
local gone, dropped = {}, 0
for i, build in ipairs(ARGV) do
  if not kept[build] then
    redis.call('DEL', KEYS[i + 1])
    gone[build], dropped = true, dropped + 1
  end
end
local left = {}
for _, build in ipairs(builds) do
  if not gone[build] then left[#left + 1] = build end
end
if #left < #builds then redis.call('HSET', KEYS[1], 'builds', table.concat(left, ' ')) end
return dropped
