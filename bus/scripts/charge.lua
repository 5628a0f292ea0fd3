--#keys hash hash
-- KEYS: what a tenant has, its sessions. ARGV: session, step, entries, bytes, micros spent,
-- '1' where more may be spent hereafter or '', month, then what it may have or '': sessions,
-- bytes, entries a second, micros a month. Steps: open, publish (both may be refused), note
-- (what is taken whatever it comes to), replace (the session has so many bytes now), drop.
-- Replies: ok bytes (of the session before; -1: it was not counted) | over what limit [wait ms]
local USE, OWN = KEYS[1], KEYS[2]
local session, step, entries, bytes = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local spent, month = tonumber(ARGV[5]), 'spend:' .. ARGV[7]
local use = redis.call('HMGET', USE, 'bytes', 'level', 'at', month)
local total, paid = number(USE, 'bytes', use[1] or '0'), number(USE, month, use[4] or '0')
local before = redis.call('HGET', OWN, session)
local known = number(OWN, session, before or '0')
if step == 'replace' then bytes = bytes - known end
if step == 'drop' then bytes = -known end

local function whole(number)
  return string.format('%.0f', number)
end

local refuses = step == 'open' or step == 'publish' or step == 'replace'
if refuses and step ~= 'publish' and not before and ARGV[8] ~= '' and redis.call('HLEN', OWN) >= tonumber(ARGV[8]) then
  return {'over', 'sessions', ARGV[8]}
end
if refuses and bytes > 0 and ARGV[9] ~= '' and total + bytes > tonumber(ARGV[9]) then
  return {'over', 'bytes', ARGV[9]}
end
if refuses and ARGV[6] == '1' and ARGV[11] ~= '' and paid >= tonumber(ARGV[11]) then
  return {'over', 'spend', ARGV[11]}
end

-- A bucket that fills at the rate and holds four seconds of it; what is larger than all that it
-- holds is had of a full one, which then owes the rest.
if ARGV[10] ~= '' and entries > 0 then
  local rate, time = tonumber(ARGV[10]), redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  local size = rate * 4
  -- A level, or a time, that is none is that of a full bucket.
  local level = (tonumber(use[2] or '') or size) + math.max(0, now - (tonumber(use[3] or '') or now)) * rate / 1000
  level = math.min(size, level)
  local lacking = math.min(entries, size) - level
  if refuses and lacking > 0 then return {'over', 'rate', ARGV[10], math.ceil(lacking * 1000 / rate)} end
  redis.call('HSET', USE, 'level', string.format('%.3f', level - entries), 'at', whole(now))
end

if step == 'drop' or known + bytes <= 0 then
  redis.call('HDEL', OWN, session)
elseif bytes ~= 0 or not before then
  redis.call('HSET', OWN, session, whole(known + bytes))
end
redis.call('HSET', USE, 'bytes', whole(math.max(0, total + bytes)))
if spent ~= 0 then redis.call('HSET', USE, month, whole(paid + spent)) end
return {'ok', before and whole(known) or '-1'}
