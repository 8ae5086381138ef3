-- One attempt has ended.
-- ARGV 14 generation, 0 when the answer to its ask was lost; 15 was it the probe; 16 success, failure or ignored; 17 pause in ms;
--      18 channel of the pauses; 19 credential; 20 channel of the places
if redis.call('ZREM', KEYS[3], ARGV[3]) == 1 and redis.call('EXISTS', KEYS[7]) == 1 then
  redis.pcall('PUBLISH', ARGV[20], ARGV[4])
end

local slots = 20  -- policy/rolling_count.h

local function open()
  b.open = true
  b.generation = b.generation + 1
  b.probed, b.successes, b.probe, b.late = false, 0, '', ''
  local longest = math.min(open_for * 2 ^ math.min(b.rounds, 50), max_open)
  b.open_until = now + math.floor(longest * tonumber(ARGV[2]))
end

local function close()
  b.open = false
  b.generation = b.generation + 1
  b.rounds, b.probe, b.late = 0, '', ''
  for i = 0, slots - 1 do redis.call('HDEL', KEYS[1], 'slot' .. i) end
end

local function count_success()
  b.successes = b.successes + 1
  if b.successes >= probes then close() end
end

-- A slot is its number since the clock's beginning, its requests and its failures.
local function record_request(failed)
  local newest = math.floor(now / math.max(math.floor(window / slots), 1))
  local names = {}
  for i = 0, slots - 1 do names[i + 1] = 'slot' .. i end
  local requests, failures = 1, failed and 1 or 0
  local own_requests, own_failures = requests, failures
  for i, slot in ipairs(redis.call('HMGET', KEYS[1], unpack(names))) do
    local number, r, f = string.match(slot or '', '^(%d+) (%d+) (%d+)$')
    number = tonumber(number or -1)
    if number > newest - slots and number <= newest then
      requests, failures = requests + r, failures + f
      if number == newest then own_requests, own_failures = own_requests + r, own_failures + f end
    end
  end
  redis.call('HSET', KEYS[1], 'slot' .. newest % slots,
             string.format('%.0f %d %d', newest, own_requests, own_failures))
  redis.call('EXPIRE', KEYS[1], 90000)
  return failed and requests >= min_requests and failures >= ratio * requests
end

local function record_probe()
  b.probe = ''
  if ARGV[16] == 'failure' then
    b.rounds = b.rounds + 1
    open()
  elseif ARGV[16] == 'success' then
    count_success()
  end
end

-- Of a probe whose place was given on only the success still counts.
local function record_late_probe()
  local from, to = string.find(' ' .. b.late, ' ' .. ARGV[3] .. ' ', 1, true)
  if not from then return false end
  b.late = string.sub(b.late, 1, from - 1) .. string.sub(b.late, to)
  if ARGV[16] == 'success' then count_success() end
  return true
end

if has_breaker then
  load_breaker()
  if ARGV[14] == '0' and b.probe == ARGV[3] then
    b.probe = ''
    save_breaker()
    tell_breaker()
  elseif b.generation ~= 0 and b.generation == tonumber(ARGV[14]) then
    local changed = false
    if ARGV[15] == '1' then
      if b.probe == ARGV[3] then
        record_probe()
        changed = true
      else
        changed = record_late_probe()
      end
    elseif ARGV[16] ~= 'ignored' and record_request(ARGV[16] == 'failure') then
      open()
      changed = true
    end
    if changed then
      save_breaker()
      tell_breaker()
    end
  end
end

local pause = tonumber(ARGV[17])
if pause > 0 then
  local key = ARGV[19] == '' and KEYS[5] or KEYS[6]
  if redis.call('PTTL', key) < pause then redis.call('SET', key, '1', 'PX', pause) end
  if ARGV[19] ~= '' then
    local longest = math.max(redis.call('PTTL', KEYS[8]), pause)
    redis.call('SADD', KEYS[8], ARGV[19])
    redis.call('PEXPIRE', KEYS[8], longest)
  end
  redis.pcall('PUBLISH', ARGV[18],
             string.format('%d %d ', pause, #ARGV[19]) .. ARGV[19] .. ARGV[4])
end
return 1
