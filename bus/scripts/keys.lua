-- Included by every script, behind TYPES and CACHES, which its line `--#keys` says. What a key
-- holds that Parley never wrote is named before anything is written. A cache (`?`) of another
-- type counts as empty; the scripts of workers take it away (`heal`).
local STRANGE = {}

local function damaged(key, holds)
  error('PARLEYKEY(' .. key .. '|' .. holds .. ')', 0)
end

for i = 1, #KEYS do
  local k = math.min(i, #TYPES)
  if TYPES[k] ~= 'any' then
    local held = redis.call('TYPE', KEYS[i]).ok
    if held ~= TYPES[k] and held ~= 'none' then
      if not CACHES[k] then damaged(KEYS[i], 'is a ' .. held) end
      STRANGE[#STRANGE + 1] = KEYS[i]
    end
  end
end

-- What a cache answers; false where it is of another type.
local function ask(...)
  local reply = redis.pcall(...)
  if type(reply) == 'table' and reply.err then return false end
  return reply
end

-- The whole number in a field, up to those that Lua counts exactly.
local function number(key, field, held)
  if not held or #held > 15 or not string.match(held, '^%d+$') then
    damaged(key, 'has "' .. string.gsub(string.sub(held or '', 1, 20), '[^%w.+-]', '?') .. '" for ' .. field)
  end
  return tonumber(held)
end

-- Adds to a counter of `meta`; one that is no number counts from 0 again.
local function tally(meta, field, by)
  local held = redis.call('HGET', meta, field) or ''
  local had = string.match(held, '^%-?%d+$') and #held <= 15 and tonumber(held) or 0
  redis.call('HSET', meta, field, string.format('%.0f', had + by))
end
