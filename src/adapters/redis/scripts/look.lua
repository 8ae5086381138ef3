-- KEYS entry, failure, holders
return {redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2]), redis.call('SMEMBERS', KEYS[3])}
