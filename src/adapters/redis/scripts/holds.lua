-- Before those that compare the token of a lease: KEYS[1] is the lease, ARGV[1] the token.
local lease = redis.call('GET', KEYS[1])
local function holds()
  local token = string.format('%08d', #ARGV[1]) .. ARGV[1]
  return lease and string.sub(lease, 21, 20 + #token) == token
end
