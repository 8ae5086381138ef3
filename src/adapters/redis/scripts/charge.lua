-- Counts what is about to be written, and names what has to go for it: what dies first goes first.
-- KEYS when each item dies (ms), what each weighs, the sum
-- ARGV the most, item, its weight (0: it is gone), its lifetime in ms, an item that it takes away
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local sum = tonumber(redis.call('GET', KEYS[3]) or 0)

local function forget(item)
  local weight = redis.call('HGET', KEYS[2], item)
  if not weight then return end
  redis.call('HDEL', KEYS[2], item)
  redis.call('ZREM', KEYS[1], item)
  sum = sum - tonumber(weight)
end

for _, dead in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 200)) do
  forget(dead)
end
if ARGV[5] ~= '' then forget(ARGV[5]) end
forget(ARGV[2])
if tonumber(ARGV[3]) > 0 then
  redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
  redis.call('ZADD', KEYS[1], now + tonumber(ARGV[4]), ARGV[2])
  sum = sum + tonumber(ARGV[3])
end
local evicted = {}
while sum > tonumber(ARGV[1]) and #evicted < 1000 do
  local first = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
  if not first then
    sum = 0  -- a key of these three was lost
    break
  end
  forget(first)
  evicted[#evicted + 1] = first
end
redis.call('SET', KEYS[3], string.format('%.0f', sum))
return evicted
