-- Before those that compare the token of a lease: KEYS[1] is the lease, ARGV[1] the length of the
-- token in 8 digits and the token.
local lease = redis.call('GET', KEYS[1])
local function is_tokens() return lease and string.sub(lease, 41, 40 + #ARGV[1]) == ARGV[1] end

local function now()
  local t = redis.call('TIME')
  return t[1] * 1000000 + t[2]
end
local function holds() return is_tokens() and tonumber(string.sub(lease, 21, 40)) > now() end

-- Wherever something is published, whoever may not do that has still done the rest.
local function release(channel, id)
  redis.call('SET', KEYS[1], string.sub(lease, 1, 20), 'EX', '90000')
  redis.pcall('PUBLISH', channel, id)
end
