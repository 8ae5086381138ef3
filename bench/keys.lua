-- wrk -s keys.lua URL -- N: URL0 … URL(N-1) in turn, each request built once.
local requests, at = {}, 0

function init(args)
  local n = tonumber(args[1])
  for i = 1, n do
    requests[i] = wrk.format("GET", wrk.path .. (i - 1))
  end
end

function request()
  at = at % #requests + 1
  return requests[at]
end
