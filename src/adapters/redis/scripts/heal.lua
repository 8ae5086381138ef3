-- Somebody else has put values of other types where ours belong: they go. Never in a script that
-- somebody waits for, whose calls would all pay for it.
-- KEYS of any script
-- Answers with those that went.
local types = {
  l = 'string', e = 'string', n = 'string', w = 'set',
  dies = 'zset', weighs = 'hash', sum = 'string', charged = 'zset', going = 'zset',
  breaker = 'hash', rate = 'hash', places = 'zset', day = 'string', resting = 'set',
  nodes = 'zset', head = 'hash', log = 'zset',
}
local gone = {}
for _, key in ipairs(KEYS) do
  local want = types[string.match(key, '}:(%a+)$') or string.match(key, ':(%a+)}$') or '']
  local is = redis.call('TYPE', key).ok
  if want and is ~= 'none' and is ~= want then
    redis.call('DEL', key)
    gone[#gone + 1] = key
  end
end
return gone
