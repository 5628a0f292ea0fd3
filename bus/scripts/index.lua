--#keys stream hash hash
-- Puts ids back that the index of a log has lost, some at a time. KEYS: log, meta, ids. ARGV: the
-- incarnation that was read, then of each entry: id, place, fingerprint. An entry whose id
-- another has, as a stranger's may, is indexed by its place. A resend changes nothing.
-- Replies: ok | other
if redis.call('HGET', KEYS[2], 'incarnation') ~= ARGV[1] then return {'other'} end
for i = 2, #ARGV, 3 do
  local id, place = ARGV[i], ARGV[i + 1]
  local before = redis.call('HGET', KEYS[3], id)
  if before and string.match(before, '^%S+') ~= place then id = 'at:' .. place end
  if not before or id ~= ARGV[i] then redis.call('HSET', KEYS[3], id, place .. ' ' .. ARGV[i + 2]) end
end
return {'ok'}
