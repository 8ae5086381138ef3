// A start with a million entries on disk: when it serves from them, when it has counted them, and
// what a purge of all of them takes.
#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/bytes.h"
#include "cache/disk/layout.h"
#include "cache/entry_format.h"
#include "cache/purge_journal.h"
#include "compare.h"
#include "cpu.h"
#include "measurements.h"
#include "scripts.h"
#include "support/http_client.h"
#include "support/tanggul_process.h"

namespace tanggul::bench {
namespace {

namespace fs = std::filesystem;

std::string path_of(std::size_t n) { return "/packages/" + std::to_string(n) + ".tgz"; }

// As the tier itself leaves them, without the waiting for it.
void fill(const std::string& data, std::size_t entries) {
  const cache::Layout layout(data + "/cache");
  cache::Entry entry;
  entry.status = 200;
  entry.headers.add("Content-Type", "application/octet-stream");
  entry.headers.add("Cache-Control", "max-age=86400");
  entry.times.stored_at = entry.times.birth = wall_now();
  entry.times.expires = entry.times.stored_at + 24h;
  entry.generation = cache::PurgeJournal(data + "/purges").floor();
  const std::string body(600, 'x');
  entry.forms.emplace_back().body = std::make_shared<const std::string>(body);
  for (std::size_t n = 0; n < entries; ++n) {
    const std::string key = "o\x1f" + path_of(n);
    const auto id = cache::id_of_key(key);
    const std::string path = layout.path(cache::ObjectKind::entry, id);
    std::ofstream file(path, std::ios::binary);
    if (!file && layout.make_folder_of(cache::ObjectKind::entry, id)) file.open(path);
    file << cache::encode(entry, key) << body;
    if (!file) throw std::runtime_error("cannot write " + path);
  }
}

Duration purge_of_all(const test::TanggulProcess& shield) {
  test::RequestSpec spec;
  spec.method = "POST";
  spec.target = "/api/purge";
  spec.headers = {{"Content-Type", "application/json"}};
  spec.body = R"({"origins":["o"]})";
  const auto answer = test::send_request(shield.admin_port(), spec);
  if (answer.status != 200) throw std::runtime_error("the purge was answered otherwise than 200");
  return answer.total;
}

}  // namespace

void measure_full_store(const Options& options, Table& musts) {
  const std::size_t entries = options.quick ? 50'000 : 1'000'000;
  test::ScriptedOrigin origin(dated(body_of(600)));
  const OnServerCpu here;
  test::TanggulProcess shield(
      "threads: 1\naccess_log: off\ncache: { memory: 64MiB, disk: 10GiB }\norigins:\n  o:\n    "
      "kind: generic\n    mount: /\n    upstream: " +
      origin.url() + "\n");
  const Duration empty_purge = purge_of_all(shield);
  shield.stop();
  fs::remove(shield.data_dir() + "/purges");
  fill(shield.data_dir(), entries);

  const MonoTime began = MonoClock::now();
  shield.start();
  const auto first = test::get(shield.port(), path_of(entries / 2));
  const Duration to_first = MonoClock::now() - began;
  const bool hit =
      first.headers.find("cache-status").value_or("").find("; hit") != std::string_view::npos;
  if (!hit) throw std::runtime_error("the first answer was no hit");
  while (shield.metric("tanggul_cache_indexing") != 0) std::this_thread::sleep_for(10ms);
  const Duration to_index = MonoClock::now() - began;
  if (shield.metric("tanggul_cache_bytes{tier=\"disk\"}") != static_cast<double>(entries) * 4096)
    throw std::runtime_error("the index does not hold what was written");
  const std::string rss = mib(static_cast<double>(shield.rss()));
  const Duration full_purge = purge_of_all(shield);
  if (test::get(shield.port(), path_of(1))
          .headers.find("cache-status")
          .value_or("")
          .find("; hit") != std::string_view::npos)
    throw std::runtime_error("what was purged was served");

  const std::string what = std::to_string(entries) + " entries on disk: ";
  add(musts, {.what = what + "start to the first hit from them",
              .must = "≤ 1 s",
              .ours = ms(in_ms(to_first)),
              .peers = {},
              .met = to_first <= 1s});
  add(musts, {.what = what + "start to all of them counted, in the background · RSS then",
              .must = "–",
              .ours = ms(in_ms(to_index)) + " · " + rss,
              .peers = {},
              .met = true});
  add(musts, {.what = what + "purge of their origin (of an empty one)",
              .must = "constant time",
              .ours = ms(in_ms(full_purge)) + " (" + ms(in_ms(empty_purge)) + ")",
              .peers = {},
              .met = full_purge <= 10 * empty_purge + 5ms});
}

}  // namespace tanggul::bench
