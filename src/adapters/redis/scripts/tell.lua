-- Writes purges down and tells them. A log that begins gets an epoch, and so does one that stands
-- before what its teller has seen of it: a replica that lagged has become the master, and its next
-- numbers have been given before.
-- KEYS epoch and last sequence, log
-- ARGV an epoch for a log that begins, channel, how many are kept, the teller's epoch, its sequence,
-- then rule and what of each
redis.call('HSETNX', KEYS[1], 'epoch', ARGV[1])
local head = redis.call('HMGET', KEYS[1], 'epoch', 'sequence')
local epoch = head[1]
if epoch == ARGV[4] and tonumber(head[2] or 0) < tonumber(ARGV[5]) then
  epoch = ARGV[1]
  redis.call('HSET', KEYS[1], 'epoch', epoch)
end
for i = 6, #ARGV, 2 do
  local sequence = redis.call('HINCRBY', KEYS[1], 'sequence', 1)
  local purge = string.format('%.0f %s ', sequence, ARGV[i]) .. ARGV[i + 1]
  redis.call('ZADD', KEYS[2], sequence, purge)
  redis.pcall('PUBLISH', ARGV[2], epoch .. ' ' .. purge)
end
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - tonumber(ARGV[3]))
return 1
