#pragma once

#include <memory>
#include <string>

#include "ports/sql_session.h"
#include "tanggul/base/clock.h"

namespace tanggul::sqlite {

struct SessionConfig {
  std::string file;
  Duration busy = 10s;  // for what another connection has locked
};

// A file that several processes read and write, made where it is not there yet; its folder is. In
// WAL mode with synchronous=NORMAL: after a crash of the process nothing is lost, after one of the
// machine perhaps the latest transactions, whole.
Expected<std::unique_ptr<ports::SqlSession>> open_session(const SessionConfig& config);

}  // namespace tanggul::sqlite
