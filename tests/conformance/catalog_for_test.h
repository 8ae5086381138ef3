#pragma once

#include <gtest/gtest.h>

#include "conformance/catalog_engine.h"
#include "conformance/catalog_examples.h"
#include "sync/catalog/catalog.h"

namespace tanggul::test {

// Each test runs on both engines.
class CatalogTest : public testing::TestWithParam<ports::SqlDialect> {
 protected:
  static bool on_postgres() { return GetParam() == ports::SqlDialect::postgres; }

  void SetUp() override {
    if (on_postgres() && !postgres_is_here())
      GTEST_SKIP() << "there is no PostgreSQL on this machine";
    engine_ = on_postgres() ? postgres_engine() : sqlite_engine();
    session_ = open_session(engine_->address());
    catalog_ = std::make_unique<sync::Catalog>(sync::Catalog::open(*session_).value());
  }

  sync::Catalog& catalog() { return *catalog_; }

  // The first column of all rows, parted by spaces.
  std::string ask(std::string_view statement, const ports::SqlRow& values = {}) {
    std::string out;
    session_
        ->run(statement, values,
              [&](const ports::SqlRow& row) {
                if (!out.empty()) out += ' ';
                if (const auto* whole = std::get_if<std::int64_t>(&row[0]))
                  out += std::to_string(*whole);
                else if (const auto* text = std::get_if<std::string>(&row[0]))
                  out += *text;
              })
        .value();
    return out;
  }

  std::unique_ptr<CatalogEngine> engine_;
  std::unique_ptr<ports::SqlSession> session_;
  std::unique_ptr<sync::Catalog> catalog_;
};

inline std::string engine_name(const testing::TestParamInfo<ports::SqlDialect>& info) {
  return info.param == ports::SqlDialect::postgres ? "Postgres" : "Sqlite";
}

#define INSTANTIATE_ON_BOTH_ENGINES(suite)                                                     \
  INSTANTIATE_TEST_SUITE_P(                                                                    \
      Engines, suite, testing::Values(ports::SqlDialect::sqlite, ports::SqlDialect::postgres), \
      engine_name)

}  // namespace tanggul::test
