-- KEYS entry, holders; ARGV version, address, the most holders
if redis.call('GETRANGE', KEYS[1], 0, 19) ~= ARGV[1] then return 0 end
if redis.call('SCARD', KEYS[2]) >= tonumber(ARGV[3]) then return 0 end
redis.call('SADD', KEYS[2], ARGV[2])
redis.call('PEXPIRE', KEYS[2], math.max(redis.call('PTTL', KEYS[1]), 1))
return 1
