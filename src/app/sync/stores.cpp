#include "app/sync/stores.h"

#include <filesystem>

#include "adapters/postgres/sql_session.h"
#include "adapters/sqlite/queue.h"
#include "adapters/sqlite/session.h"

namespace tanggul::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSqlite = "sqlite://";

// The store's own file, or that of this name in the data directory.
Expected<std::string> file_of(const Config& config, const Store& store, const char* name) {
  if (!store.file.empty()) return store.file;
  const auto folder = sync_folder(config);
  if (!folder) return folder.error();
  return *folder + "/" + name;
}

}  // namespace

Expected<std::string> sync_folder(const Config& config) {
  std::error_code ec;
  const fs::path folder = fs::absolute(config.data_dir, ec) / "sync";
  fs::create_directories(folder, ec);
  if (ec) return Failure{Errc::io, folder.string() + ": " + ec.message()};
  // What repositories say is nobody's secret, but a queue is not for everybody to write.
  fs::permissions(folder, fs::perms::owner_all, ec);
  return folder.string();
}

Expected<std::unique_ptr<ports::Queue>> open_queue(const Config& config) {
  const auto file = file_of(config, config.sync.queue, "queue.db");
  if (!file) return file.error();
  return sqlite::open_queue({.file = *file});
}

Expected<std::string> catalog_address(const Config& config) {
  if (config.sync.catalog.engine == Store::Engine::postgres) return config.sync.catalog.text;
  const auto file = file_of(config, config.sync.catalog, "catalog.db");
  if (!file) return file.error();
  return std::string(kSqlite) + *file;
}

Expected<std::unique_ptr<ports::SqlSession>> open_catalog(const std::string& address,
                                                          Duration statement) {
  if (address.starts_with(kSqlite))
    return sqlite::open_session({.file = address.substr(kSqlite.size())});
  return postgres::open_sql_session({.address = address, .statement = statement});
}

}  // namespace tanggul::app
