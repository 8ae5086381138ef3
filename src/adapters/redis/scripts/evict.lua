-- A copy goes, unless it is a later one than is meant. A version ahead of this clock is not later: it
-- is of before the clock went back.
-- KEYS the copy, and what goes with it; ARGV the last version that is meant
local t = redis.call('TIME')
local version = redis.call('GETRANGE', KEYS[1], 0, 19)
if version > ARGV[1] and version <= string.format('%020.0f', t[1] * 1000000 + t[2]) then return 0 end
return redis.call('UNLINK', unpack(KEYS))
