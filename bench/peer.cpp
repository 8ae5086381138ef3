#include "peer.h"

#include <stdexcept>

#include "peer_process.h"

namespace tanggul::bench {
namespace {

SubjectPtr start_nginx(const test::ScriptedOrigin& origin, Tier) {
  auto p = std::make_unique<PeerProcess>(origin);
  if (is_root()) p->define("USER", "user root;");
  const std::string file = p->place("nginx.conf.in", "nginx.conf");
  p->start({"nginx", "-p", p->file(""), "-c", file, "-e", p->file("error.log")});
  return p;
}

SubjectPtr start_haproxy(const test::ScriptedOrigin& origin, Tier tier) {
  if (tier == Tier::disk) throw std::runtime_error("HAProxy's cache is memory alone");
  auto p = std::make_unique<PeerProcess>(origin);
  const std::string file = p->place("haproxy.cfg.in", "haproxy.cfg");
  p->start({"haproxy", "-db", "-f", file});
  return p;
}

// One pool for the one CPU, with threads for the herds of these stories. As root it gives
// its worker a user by itself.
SubjectPtr start_varnish(const test::ScriptedOrigin& origin, Tier tier) {
  auto p = std::make_unique<PeerProcess>(origin);
  const std::string file = p->place("varnish.vcl.in", "shield.vcl");
  const std::string store =
      tier == Tier::memory ? "malloc,256m" : "file," + p->file("storage") + ",512m";
  p->start({"varnishd", "-F", "-n", p->file("work"), "-f", file, "-a",
            "127.0.0.1:" + std::to_string(p->port()), "-s", store, "-p", "thread_pools=1", "-p",
            "thread_pool_max=5000", "-p", "timeout_idle=65", "-p", "listen_depth=4096"});
  return p;
}

// Its paths are the origin's: taking a prefix off would need a helper program for each request.
SubjectPtr start_squid(const test::ScriptedOrigin& origin, Tier tier) {
  auto p = std::make_unique<PeerProcess>(origin);
  p->serve_at("");
  if (is_root()) p->define("USER", "cache_effective_user proxy");
  p->define("STORE", tier == Tier::memory
                         ? "cache_mem 256 MB\nmaximum_object_size_in_memory 4 MB"
                         : "cache_mem 0\nmaximum_object_size_in_memory 0 KB\ncache_dir aufs " +
                               p->file("cache") + " 512 16 256");
  const std::string file = p->place("squid.conf.in", "squid.conf");
  p->make_directory("cache");
  p->give_to("proxy");
  if (tier == Tier::disk) p->prepare({"squid", "-N", "-z", "-f", file});
  p->start({"squid", "-N", "-f", file});
  return p;
}

SubjectPtr start_trafficserver(const test::ScriptedOrigin& origin, Tier tier) {
  auto p = std::make_unique<PeerProcess>(origin);
  if (is_root()) p->define("USER", "CONFIG proxy.config.admin.user_id STRING trafficserver");
  p->define("RAM", tier == Tier::memory ? "268435456" : "0");
  for (const char* name : {"records.config", "remap.config", "storage.config", "ip_allow.yaml"})
    p->place("trafficserver/" + std::string(name) + ".in", "etc/" + std::string(name));
  const std::string layout = p->place("trafficserver/runroot.yaml.in", "runroot.yaml");
  for (const char* name : {"cache", "run", "log"}) p->make_directory(name);
  p->give_to("trafficserver");
  p->start({"traffic_server", "--run-root=" + layout});
  p->wait_for_line("log/diags.log", "fully initialized");  // until then it listens and refuses
  return p;
}

constexpr Peer kPeers[] = {
    {.name = "nginx", .program = "nginx", .start = start_nginx},
    {.name = "HAProxy", .program = "haproxy", .has_disk = false, .start = start_haproxy},
    {.name = "Varnish", .program = "varnishd", .start = start_varnish},
    {.name = "Squid", .program = "squid", .start = start_squid},
    {.name = "Traffic Server", .program = "traffic_server", .start = start_trafficserver},
};

}  // namespace

std::span<const Peer> peers() { return kPeers; }

const Peer& peer(std::string_view name) {
  for (const Peer& p : kPeers)
    if (p.name == name) return p;
  throw std::logic_error("no peer called " + std::string(name));
}

}  // namespace tanggul::bench
