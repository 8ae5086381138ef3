-- What ask and finish share. Times are in microseconds of this server's clock; wherever it may have
-- been set back, what lies implausibly far ahead is brought near again.
-- KEYS breaker, rate, places, day, pause, the credential's pause, who waits for a place, the
--      credentials that rest
-- ARGV 1 the time, empty but in tests; 2 U of the breaker's jitter; 3 the place, which is the
--      probe's name too; 4 origin; 5 channel of the breakers; 6 is there a breaker; 7 window;
--      8 min_requests; 9 failure_ratio; 10 open_for; 11 max_open; 12 probes; 13 probe_lease;
--      from 14 on what each says of itself
local now
if ARGV[1] == '' then
  local t = redis.call('TIME')
  now = t[1] * 1000000 + t[2]
else
  now = tonumber(ARGV[1])
end
local has_breaker = ARGV[6] == '1'
local window, min_requests, ratio = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local open_for, max_open = tonumber(ARGV[10]), tonumber(ARGV[11])
local probes, probe_lease = tonumber(ARGV[12]), tonumber(ARGV[13])

local function whole(n) return string.format('%.0f', n) end

-- The breaker of policy/breaker.h, kept in one hash. Its generation begins with the clock, so that
-- it grows also over a loss of the hash.
local b = {}
local function load_breaker()
  local v = redis.call('HMGET', KEYS[1], 'generation', 'open', 'until', 'rounds', 'probed',
                       'successes', 'probe', 'expires', 'late')
  b.generation = tonumber(v[1] or 0)
  b.open = v[2] == '1'
  b.open_until = math.min(tonumber(v[3] or 0), now + max_open)
  b.rounds = tonumber(v[4] or 0)
  b.probed = v[5] == '1'
  b.successes = tonumber(v[6] or 0)
  b.probe = v[7] or ''
  b.expires = math.min(tonumber(v[8] or 0), now + probe_lease)
  b.late = v[9] or ''
end

local function save_breaker()
  redis.call('HSET', KEYS[1], 'generation', whole(b.generation), 'open', b.open and '1' or '0',
             'until', whole(b.open_until), 'rounds', whole(b.rounds),
             'probed', b.probed and '1' or '0', 'successes', whole(b.successes),
             'probe', b.probe, 'expires', whole(b.expires), 'late', b.late)
  redis.call('EXPIRE', KEYS[1], 90000)
end

local function probe_lives() return b.probe ~= '' and now < b.expires end

-- state (0 closed, 1 half-open, 2 open), until, probing, failed rounds, generation
local function view()
  if not b.open then return {0, 0, 0, b.rounds, b.generation} end
  if now < b.open_until then return {2, b.open_until - now, 0, b.rounds, b.generation} end
  if probe_lives() then return {1, b.expires - now, 1, b.rounds, b.generation} end
  return {1, 0, 0, b.rounds, b.generation}
end

local function tell_breaker()
  local v = view()
  redis.pcall('PUBLISH', ARGV[5],
             string.format('%d %.0f %d %d %.0f %s', v[1], v[2], v[3], v[4], v[5], ARGV[4]))
end
