-- KEYS lease; ARGV token, channel of the wakes, id
if not is_tokens() then return 0 end
release(ARGV[2], ARGV[3])
return 1
