-- Included by scripts of workers alone, who may: takes away what caches of another type hold.
local function heal()
  if #STRANGE > 0 then redis.call('DEL', unpack(STRANGE)) end
  STRANGE = {}
end
