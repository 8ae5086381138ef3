-- KEYS lease; ARGV token, time to live in us
if not holds() then return 0 end
redis.call('SETRANGE', KEYS[1], 20, string.format('%020.0f', now() + ARGV[2]))
redis.call('EXPIRE', KEYS[1], '90000')
return 1
