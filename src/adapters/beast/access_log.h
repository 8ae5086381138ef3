#pragma once

#include <string>
#include <string_view>

#include "adapters/beast/log_writer.h"
#include "ports/handler.h"

namespace tanggul::beast {

enum class LogFormat { text, json, off };

// One line a request, gathered in memory and handed to the writer when there is a good deal of it
// or a moment has passed. One object a thread: lines never mix, hits never wait for whoever reads
// them.
class AccessLog {
 public:
  AccessLog(LogFormat format, LogWriter& writer) : format_(format), writer_(writer) {}
  ~AccessLog() { flush(); }
  AccessLog(const AccessLog&) = delete;
  AccessLog& operator=(const AccessLog&) = delete;

  void set_format(LogFormat format) { format_ = format; }
  void write(const ports::Call& call, const ports::Reply& reply, ByteCount bytes, ports::Sent end);
  void flush();

 private:
  LogFormat format_;
  LogWriter& writer_;
  std::string lines_;
};

}  // namespace tanggul::beast
