#pragma once

#include "scenario/scenario.h"
#include "support/products_database.h"

namespace tanggul::test {

class SqlScenario : public testing::Test {
 protected:
  void SetUp() override {
    if (!postgres_is_here()) GTEST_SKIP() << "there is no PostgreSQL on this machine";
    db_ = std::make_unique<ProductsDatabase>();
  }
  std::unique_ptr<ProductsDatabase> db_;
};

}  // namespace tanggul::test
