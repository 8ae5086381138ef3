-- Counts what is about to be written, and names what has to go for it: what was charged first goes
-- first, however short it lives, and never the item itself.
-- KEYS when each item dies (ms), what each weighs, the sum, when each was charged (us), what was
-- named in the last minute
-- ARGV the most, item, its weight (0: it is gone), its lifetime in ms, an item that it takes away,
-- 1 when the same may have been carried out and its answer lost
-- Answers with the items that have to go, each after the last version that is meant, in 20 digits.
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local item, weight = ARGV[2], tonumber(ARGV[3])
local sum = tonumber(redis.call('GET', KEYS[3]))
if not sum then
  sum = 0
  for _, one in ipairs(redis.call('HVALS', KEYS[2])) do sum = sum + one end
end

-- Also of what only one of the keys knows, since each may be lost alone.
local function forget(one)
  redis.call('ZREM', KEYS[1], one)
  redis.call('ZREM', KEYS[4], one)
  local weighed = redis.call('HGET', KEYS[2], one)
  if not weighed then return end
  redis.call('HDEL', KEYS[2], one)
  sum = sum - tonumber(weighed)
end

-- The first of a key that is not the item itself, and its score.
local function first_of(key)
  local found = redis.call('ZRANGE', key, 0, 1, 'WITHSCORES')
  if found[1] ~= item then return found[1], found[2] end
  return found[3], found[4]
end

-- The order alone was lost: what stands in it no more goes as if it had been written now.
if redis.call('ZCARD', KEYS[4]) < redis.call('HLEN', KEYS[2]) then
  for _, one in ipairs(redis.call('HKEYS', KEYS[2])) do
    redis.call('ZADD', KEYS[4], 'NX', string.format('%.0f', now), one)
  end
end

for _, dead in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', math.floor(now / 1000), 'LIMIT', 0,
                                 200)) do
  forget(dead)
end
if ARGV[5] ~= '' then forget(ARGV[5]) end
forget(item)
if weight > 0 then
  redis.call('HSET', KEYS[2], item, ARGV[3])
  redis.call('ZADD', KEYS[1], math.floor(now / 1000) + tonumber(ARGV[4]), item)
  redis.call('ZADD', KEYS[4], string.format('%.0f', now), item)
  sum = sum + weight
end

local going = {}
while sum > tonumber(ARGV[1]) and #going < 1000 do
  local first, charged = first_of(KEYS[4])
  if not first then first, charged = first_of(KEYS[1]), now end
  if not first then
    -- What is weighed has been lost from both: the account begins anew.
    redis.call('DEL', KEYS[2])
    if weight > 0 then redis.call('HSET', KEYS[2], item, ARGV[3]) end
    sum = weight
    break
  end
  forget(first)
  going[#going + 1] = string.format('%020.0f', tonumber(charged)) .. first
  redis.call('ZADD', KEYS[5], string.format('%.0f', now), going[#going])
end
redis.call('SET', KEYS[3], string.format('%.0f', math.max(sum, 0)))
if #going > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', string.format('%.0f', now - 60000000))
  redis.call('ZREMRANGEBYRANK', KEYS[5], 0, -1001)
  redis.call('EXPIRE', KEYS[5], 60)
end
if ARGV[6] == '1' then return redis.call('ZRANGE', KEYS[5], 0, -1) end
return going
