#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tanggul/base/clock.h"

namespace tanggul::test {

// One TLS connection to 127.0.0.1, byte by byte as the test wants it. Trusts whoever is there.
// Blocks, at most `patience` a read. Throws when it cannot connect or shake hands.
class TlsClient {
 public:
  explicit TlsClient(std::uint16_t port, Duration patience = std::chrono::seconds(20));
  ~TlsClient();

  void send(std::string_view bytes);
  void end();  // close_notify; the connection stays
  // What comes until `mark` has, or the end.
  std::string read_until(std::string_view mark);
  std::string read_all();
  // How the reading ended: by close_notify, or without it.
  bool orderly() const { return orderly_; }
  bool cut() const { return cut_; }
  std::size_t records() const { return records_; }  // that were read, with data
  std::string subject() const;                      // of the server's certificate

 private:
  struct State;
  bool read_more();

  std::unique_ptr<State> state_;
  std::string read_;
  std::size_t records_ = 0;
  bool orderly_ = false, cut_ = false;
};

}  // namespace tanggul::test
