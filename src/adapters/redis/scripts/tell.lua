-- Writes purges down and tells them. A log that begins gets an epoch.
-- KEYS epoch and last sequence, log
-- ARGV an epoch in case there is none, channel, how many are kept, then rule and what of each
redis.call('HSETNX', KEYS[1], 'epoch', ARGV[1])
local epoch = redis.call('HGET', KEYS[1], 'epoch')
for i = 4, #ARGV, 2 do
  local sequence = redis.call('HINCRBY', KEYS[1], 'sequence', 1)
  local purge = string.format('%.0f %s ', sequence, ARGV[i]) .. ARGV[i + 1]
  redis.call('ZADD', KEYS[2], sequence, purge)
  redis.call('PUBLISH', ARGV[2], epoch .. ' ' .. purge)
end
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - tonumber(ARGV[3]))
return 1
