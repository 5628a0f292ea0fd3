-- Included by remove, restore and redact. KEYS 7..16: facts, gone, due:effects,
-- claims:effects, due:upgrades, claims:upgrades, due:votes, claims:votes, staged log,
-- staged ids; from `first` on the snapshots.
local function forget(session, first)
  redis.call('UNLINK', LOG, META, IDS, KEYS[7])
  for i = first, #KEYS do redis.call('UNLINK', KEYS[i]) end
  redis.call('ZREM', DUE, session)
  redis.pcall('HDEL', CLAIMS, session)
  redis.call('ZREM', SESSIONS, session)
  for i = 9, 13, 2 do
    for _, member in ipairs(redis.call('ZRANGE', KEYS[i], 0, -1)) do
      if string.sub(member, 1, #session + 1) == session .. ' ' then
        redis.call('ZREM', KEYS[i], member)
        redis.pcall('HDEL', KEYS[i + 1], member)
      end
    end
  end
end
