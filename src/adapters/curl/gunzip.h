#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace tanggul::curl {

// Undoes gzip (RFC 1952) as it streams in. libcurl's own decoder does not tell a cut stream from a
// whole one; this one does. Several members in a row are one stream. Not thread-safe.
class Gunzip {
 public:
  Gunzip();
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  enum class Step { more, corrupt, stopped };
  // `out` gets the decoded bytes piece by piece; false from it stops.
  Step write(std::string_view bytes, const std::function<bool(std::string_view)>& out);
  // Whether the stream may end here: after a whole member.
  bool whole() const noexcept { return whole_; }

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
  bool whole_ = false;
};

}  // namespace tanggul::curl
