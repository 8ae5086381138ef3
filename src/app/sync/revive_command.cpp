#include "app/sync/revive_command.h"

#include <fmt/format.h>

#include <ostream>
#include <set>

#include "app/sync/stores.h"
#include "base/bytes.h"
#include "base/json_writer.h"
#include "sync/repository/address.h"

namespace tanggul::app {
namespace {

// The names of those that were asked for; nullopt: one is none, which has been told.
std::optional<std::set<std::string>> keys_of(const ReviveQuery& query, const Console& console) {
  std::set<std::string> keys;
  for (const std::string& url : query.urls) {
    const auto address = sync::parse_address(url);
    if (!address) {
      console.err << fmt::format("error: {}\n", printable(address.error().detail));
      return std::nullopt;
    }
    keys.insert(address->url);
  }
  return keys;
}

}  // namespace

int revive(const ReviveQuery& query, const Config& config, const Console& console) {
  if (!query.pool.empty() && config.sync.find(query.pool) == nullptr) {
    console.err << fmt::format("error: --pool: there is no pool \"{}\"\n", printable(query.pool));
    return kWrongUsage;
  }
  const auto keys = keys_of(query, console);
  if (!keys) return kWrongUsage;
  const auto failed = [&](const Failure& failure) {
    console.err << fmt::format("error: {}\n", printable(failure.detail));
    return kFailed;
  };
  const auto queue = open_queue(config);
  if (!queue) return failed(queue.error());
  std::uint64_t count = 0;
  for (const sync::Pool& pool : config.sync.pools) {
    if (!query.pool.empty() && pool.name != query.pool) continue;
    const auto done = (*queue)->revive(pool.name, [&](ports::Job& job) {
      const bool chosen = (keys->empty() || keys->contains(job.key)) &&
                          (query.failure.empty() || query.failure == job.failure);
      if (chosen) job.attempts = 0;
      return chosen;
    });
    if (!done) return failed(done.error());
    count += *done;
  }
  if (query.json)
    console.out << JsonWriter().begin_object().key("revived").number(count).end_object().text()
                << '\n';
  else
    console.out << fmt::format("{} revived\n", count);
  return count > 0 || keys->empty() ? kDone : kFailed;
}

}  // namespace tanggul::app
