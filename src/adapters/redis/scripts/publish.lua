-- KEYS lease, entry, failure, holders
-- ARGV token, channel of the wakes, id, bytes, lifetime in ms, 1 for a failure, holder
if not holds() then return 0 end
local fence = string.sub(lease, 1, 20)
if fence <= redis.call('GETRANGE', KEYS[2], 0, 19) or
   fence <= redis.call('GETRANGE', KEYS[3], 0, 19) then
  return 0
end
if ARGV[6] == '1' then
  redis.call('SET', KEYS[3], fence .. ARGV[4], 'PX', ARGV[5])
else
  redis.call('SET', KEYS[2], fence .. ARGV[4], 'PX', ARGV[5])
  redis.call('DEL', KEYS[3], KEYS[4])
  if ARGV[7] ~= '' then
    redis.call('SADD', KEYS[4], ARGV[7])
    redis.call('PEXPIRE', KEYS[4], ARGV[5])
  end
end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return 1
