-- KEYS nodes; ARGV node, after what silence one is gone (microseconds)
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local silence = tonumber(ARGV[2])
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - silence))
redis.call('ZREMRANGEBYSCORE', KEYS[1], string.format('%.0f', now + silence), '+inf')
redis.call('PEXPIRE', KEYS[1], math.ceil(silence / 1000))
return redis.call('ZCARD', KEYS[1])
