-- KEYS holders; ARGV address
return redis.call('SREM', KEYS[1], ARGV[1])
