-- Takes the lease of an id, unless there is a copy that the caller has not seen, or a holder.
-- A copy is its version in 20 digits and its bytes. A lease is its fence in 20 digits, when it ends
-- in microseconds in 20, the length of its token in 8, its token, and what its holder says of
-- itself; a released one only its fence. It outlives its end by a day, so that the next fence is
-- greater also where the clock has gone back. All in few calls, since each costs microseconds.
-- KEYS lease, entry, failure, holders
-- ARGV the lease without fence and end, time to live in us, known version of the entry, of the
-- failure
local call = redis.call
local lease
if call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) > 0 then
  local entry = call('GETRANGE', KEYS[2], 0, 19)
  local failure = call('GETRANGE', KEYS[3], 0, 19)
  local new_entry = entry ~= '' and entry ~= ARGV[3]
  local new_failure = failure ~= '' and failure ~= ARGV[4] and failure > entry
  if new_entry or new_failure then
    return {2, new_entry and call('GET', KEYS[2]), new_failure and call('GET', KEYS[3]),
            call('SMEMBERS', KEYS[4])}
  end
  lease = call('GET', KEYS[1])
end
local t = call('TIME')
local now = t[1] * 1000000 + t[2]
local fence
if lease then
  if #lease > 20 then
    local left = string.sub(lease, 21, 40) - now
    -- One that ends implausibly far ahead is of before this clock went back.
    if left > 0 and left <= 2 * ARGV[2] then
      local token_ends = 48 + string.sub(lease, 41, 48)
      return {1, string.sub(lease, 1, 20), string.sub(lease, token_ends + 1),
              math.ceil(left / 1000)}
    end
  end
  fence = string.format('%020.0f', math.max(string.sub(lease, 1, 20) + 1, now))
else
  fence = '0000' .. t[1] .. string.sub('00000' .. t[2], -6)  -- now, in 20 digits
end
call('SET', KEYS[1], fence .. string.format('%020.0f', now + ARGV[2]) .. ARGV[1], 'EX', '90000')
return fence
