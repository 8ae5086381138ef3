-- Takes the lease of an id, unless there is a copy that the caller has not seen, or a holder.
-- A copy is its version in 20 digits and its bytes; a lease its fence in 20 digits, the length of
-- its token in 8, its token, and what its holder says of itself.
-- KEYS lease, fence, entry, failure, holders
-- ARGV token, holder, time to live in ms, known version of the entry, of the failure
local entry = redis.call('GETRANGE', KEYS[3], 0, 19)
local failure = redis.call('GETRANGE', KEYS[4], 0, 19)
local new_entry = entry ~= '' and entry ~= ARGV[4]
local new_failure = failure ~= '' and failure ~= ARGV[5] and failure > entry
if new_entry or new_failure then
  return {2, new_entry and redis.call('GET', KEYS[3]), new_failure and redis.call('GET', KEYS[4]),
          redis.call('SMEMBERS', KEYS[5])}
end
local lease = redis.call('GET', KEYS[1])
if lease then
  local token_ends = 28 + tonumber(string.sub(lease, 21, 28))
  return {1, string.sub(lease, 1, 20), string.sub(lease, token_ends + 1),
          redis.call('PTTL', KEYS[1])}
end
-- By the clock where the last fence is lost, by the last fence where the clock stands or goes back.
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local last = tonumber(redis.call('GET', KEYS[2]) or 0)
local fence = string.format('%020.0f', math.max(last + 1, now))
redis.call('SET', KEYS[2], fence, 'EX', 90000)
redis.call('SET', KEYS[1], fence .. string.format('%08d', #ARGV[1]) .. ARGV[1] .. ARGV[2],
           'PX', ARGV[3])
return {0, fence}
