#include <zlib.h>

#include "clients/registry_for_test.h"

namespace tanggul::test {
namespace {

constexpr int kGzip = 15 + 16;  // the largest window, gzip framing

template <typename Step>
std::string run(z_stream& z, std::string_view in, Step step) {
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  z.avail_in = static_cast<uInt>(in.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK) {
    char piece[64 * 1024];
    z.next_out = reinterpret_cast<Bytef*>(piece);
    z.avail_out = sizeof piece;
    status = step(&z);
    out.append(piece, sizeof piece - z.avail_out);
  }
  return status == Z_STREAM_END ? out : std::string();
}

}  // namespace

std::string gunzip(std::string_view bytes) {
  z_stream z{};
  inflateInit2(&z, kGzip);
  std::string out = run(z, bytes, [](z_stream* s) { return inflate(s, Z_NO_FLUSH); });
  inflateEnd(&z);
  return out;
}

std::string gzipped(std::string_view bytes) {
  z_stream z{};
  deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY);
  std::string out = run(z, bytes, [](z_stream* s) { return deflate(s, Z_FINISH); });
  deflateEnd(&z);
  return out;
}

}  // namespace tanggul::test
