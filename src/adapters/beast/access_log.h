#pragma once

#include <string>
#include <string_view>

#include "ports/handler.h"

namespace tanggul::beast {

enum class LogFormat { text, json, off };

// One line a request, gathered in memory and written to standard output when there is a good deal
// of it or a moment has passed. One object a thread: lines never mix, hits never wait for the disk.
class AccessLog {
 public:
  explicit AccessLog(LogFormat format) : format_(format) {}
  ~AccessLog() { flush(); }
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  void write(const ports::Call& call, const ports::Reply& reply, ByteCount bytes, ports::Sent end);
  void flush();

 private:
  const LogFormat format_;
  std::string lines_;
};

}  // namespace tanggul::beast
