#include "wrk.h"

#include <cstdlib>
#include <stdexcept>

#include "support/process.h"

namespace tanggul::bench {

double run_wrk(std::uint16_t port, const WrkLoad& load) {
  const auto whole = std::chrono::ceil<std::chrono::seconds>(load.length).count();
  test::ProcessSpec spec{.args = {"wrk", "-t1", "-c" + std::to_string(load.connections),
                                  "-d" + std::to_string(whole) + "s"}};
  const std::string url = "http://127.0.0.1:" + std::to_string(port) + load.target;
  if (load.keys > 1) spec.args.insert(spec.args.end(), {"-s", TANGGUL_BENCH_SOURCE "/keys.lua"});
  spec.args.push_back(url);
  if (load.keys > 1) spec.args.insert(spec.args.end(), {"--", std::to_string(load.keys)});
  const auto r = test::run_command(std::move(spec));
  const std::size_t end = r.out.find(" requests in ");
  const bool bad = r.out.find("Non-2xx") != r.out.npos || r.out.find("Socket err") != r.out.npos;
  if (r.status != 0 || end == r.out.npos || bad) {
    throw std::runtime_error("wrk: " + r.out + r.err);
  }
  const std::size_t start = r.out.rfind('\n', end) + 1;
  return std::strtod(r.out.substr(start, end - start).c_str(), nullptr);
}

}  // namespace tanggul::bench
