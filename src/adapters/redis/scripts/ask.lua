-- Leave for one attempt. All is looked at before anything is taken.
-- ARGV 14 concurrency; 15 how long a place lives; 16 rate; 17 burst; 18 daily; 19 the longest wait
-- for the rate
-- Answers kind (0 go, 1 open, 2 full, 3 paused, 4 used up), wait, probe, and the breaker's view.
local concurrency, place_lives = tonumber(ARGV[14]), tonumber(ARGV[15])
local rate, burst, daily = tonumber(ARGV[16]), tonumber(ARGV[17]), tonumber(ARGV[18])
local ask_again = 1000000

if has_breaker then
  load_breaker()
  if b.generation == 0 then
    b.generation = now
    save_breaker()
  end
end

local function answer(kind, wait, probe)
  local out = {kind, math.ceil(wait), probe and 1 or 0}
  if has_breaker then
    for i, value in ipairs(view()) do out[3 + i] = math.ceil(value) end
  end
  return out
end

local rest = math.max(redis.call('PTTL', KEYS[5]), redis.call('PTTL', KEYS[6]))
if rest > 0 then return answer(3, rest * 1000) end

local probe = false
if has_breaker and b.open then
  if now < b.open_until then return answer(1, b.open_until - now) end
  if probe_lives() then return answer(1, math.min(b.expires - now, ask_again)) end
  probe = true
end

local used = 0
if daily > 0 then
  used = tonumber(redis.call('GET', KEYS[4]) or 0)
  if used >= daily then return answer(4, math.max(redis.call('PTTL', KEYS[4]), 1) * 1000) end
end

if concurrency > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', whole(now))
  redis.call('ZREMRANGEBYSCORE', KEYS[3], whole(now + 2 * place_lives), '+inf')
  if redis.call('ZCARD', KEYS[3]) >= concurrency then
    redis.call('SET', KEYS[7], '1', 'PX', 30000)
    return answer(2, ask_again)
  end
end

-- policy/rate_limit.h: when the next slot would be due in an even flow, and when that was written.
local wait, arrival, interval = 0, now, 0
if rate > 0 then
  interval = math.ceil(1000000 / rate)
  local tolerance = math.floor((math.max(burst, 1) - 1) * 1000000 / rate)
  local stored = redis.call('HMGET', KEYS[2], 'arrival', 'at')
  if stored[1] then
    arrival = tonumber(stored[1])
    local at = tonumber(stored[2])
    if at > now then arrival = arrival - (at - now) end
  end
  wait = math.max(arrival - tolerance - now, 0)
  if wait > tonumber(ARGV[19]) then return answer(4, wait - tonumber(ARGV[19])) end
  arrival = math.max(arrival, now) + interval
  redis.call('HSET', KEYS[2], 'arrival', whole(arrival), 'at', whole(now))
  redis.call('PEXPIRE', KEYS[2], math.ceil((arrival - now) / 1000) + 1000)
end

if concurrency > 0 then
  redis.call('ZADD', KEYS[3], whole(now + place_lives), ARGV[3])
  redis.call('PEXPIRE', KEYS[3], math.ceil(place_lives / 1000) + 1000)
end
if daily > 0 and redis.call('INCR', KEYS[4]) == 1 then redis.call('EXPIRE', KEYS[4], 86400) end
if probe then
  b.probed = true
  local _, late = string.gsub(b.late, ' ', '')
  if b.probe ~= '' and late < 16 then b.late = b.late .. b.probe .. ' ' end
  b.probe = ARGV[3]
  b.expires = now + probe_lease
  save_breaker()
  tell_breaker()
end
return answer(0, wait, probe)
