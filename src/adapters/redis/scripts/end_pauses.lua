-- Nobody waits for this origin any more.
-- KEYS the origin's pause, the credentials that rest
for _, credential in ipairs(redis.call('SMEMBERS', KEYS[2])) do
  redis.call('DEL', KEYS[1] .. ':' .. credential)
end
return redis.call('DEL', KEYS[1], KEYS[2])
