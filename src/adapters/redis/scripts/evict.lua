-- KEYS all that goes
return redis.call('UNLINK', unpack(KEYS))
