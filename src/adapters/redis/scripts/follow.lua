-- The purges that a node has not seen, the first of them that are known, as many as an answer
-- carries.
-- KEYS epoch and last sequence, log
-- ARGV the node's epoch, its sequence, an epoch for a log that begins or has gone back, the most
-- purges, the most bytes, the epoch before the node's and its sequence then
-- Answers epoch, the last sequence, the first that the log holds, 1 where some of the log before this
-- one were not seen, and the purges.
local head = redis.call('HMGET', KEYS[1], 'epoch', 'sequence')
if not head[1] then
  -- Also where nothing was ever purged: a place in it is what a node that was away is compared by.
  head = {ARGV[3], '0'}
  redis.call('HSET', KEYS[1], 'epoch', ARGV[3], 'sequence', '0')
end
local epoch, last, seen = head[1], tonumber(head[2] or 0), tonumber(ARGV[2])
if epoch == ARGV[1] and last < seen then
  -- Restored from an older state: numbers would be given twice. As another log, all of it is new.
  epoch = ARGV[3]
  redis.call('HSET', KEYS[1], 'epoch', epoch)
end
-- Of a log that is lost each node tells how far it had seen it, and so who has seen less.
local missed = 0
local function compare(former, sequence)
  if former == '' then return end
  local known = tonumber(redis.call('HGET', KEYS[1], 'was:' .. former) or 0)
  if known > sequence then
    missed = 1
  elseif known < sequence then
    redis.call('HSET', KEYS[1], 'was:' .. former, string.format('%.0f', sequence))
  end
end
if epoch ~= ARGV[1] then
  compare(ARGV[1], seen)
  seen = 0
else
  compare(ARGV[6], tonumber(ARGV[7]))
end
local first = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
local out = {epoch, last, tonumber(first or 0), missed}
local bytes = 0
local found = redis.call('ZRANGEBYSCORE', KEYS[2], string.format('(%.0f', seen), '+inf', 'LIMIT', 0,
                         tonumber(ARGV[4]))
for _, purge in ipairs(found) do
  bytes = bytes + #purge
  if bytes > tonumber(ARGV[5]) and #out > 4 then break end
  out[#out + 1] = purge
end
return out
