-- KEYS lease; ARGV token, channel of the wakes, id
if not holds() then return 0 end
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return 1
