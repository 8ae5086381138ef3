#include "adapters/sqlite/queue.h"

#include <gtest/gtest.h>

#include "conformance/queue_conformance.h"
#include "support/temp_dir.h"

namespace tanggul::test {
namespace {

class Folder final : public QueuePlace {
 public:
  std::unique_ptr<ports::Queue> open() override {
    return std::move(sqlite::open_queue({.file = dir_.file("queue.db")})).value();
  }

 private:
  const TempDir dir_;
};

INSTANTIATE_TEST_SUITE_P(Engine, QueueConformance,
                         testing::Values(QueueEngine{
                             .name = "Sqlite",
                             .unique_keys = true,
                             .deliveries = 20,
                             .make_place = [] { return std::make_unique<Folder>(); }}),
                         name_of_engine);

}  // namespace
}  // namespace tanggul::test
