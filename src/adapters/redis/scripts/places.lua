-- Places whose attempts go on. One that was lost comes back: its attempt runs, whoever counts it.
-- KEYS places; ARGV how long a place lives (microseconds), places
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local lives = tonumber(ARGV[1])
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], string.format('%.0f', now + lives), ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], math.ceil(lives / 1000) + 1000)
return 1
