-- KEYS lease; ARGV token, time to live in ms
if not holds() then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
