-- What a copy weighs, and how long it will live.
-- KEYS a copy
return {redis.call('STRLEN', KEYS[1]), redis.call('PTTL', KEYS[1])}
