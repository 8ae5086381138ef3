#include "adapters/curl/gunzip.h"

#include <zlib.h>

#include <new>
#include <string>

namespace tanggul::curl {

struct Gunzip::Stream {
  Stream() : out(32 * 1024, '\0') {
    if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();  // 16: gzip only
  }
  ~Stream() { inflateEnd(&z); }
  z_stream z{};
  std::string out;
};

Gunzip::Gunzip() : stream_(std::make_unique<Stream>()) {}
Gunzip::~Gunzip() = default;

Gunzip::Step Gunzip::write(std::string_view bytes,
                           const std::function<bool(std::string_view)>& out) {
  z_stream& z = stream_->z;
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  bool full = false;  // the last call filled the buffer: there may be more without more input
  while (z.avail_in > 0 || full) {
    if (whole_ && z.avail_in > 0) {  // another member begins
      inflateReset(&z);
      whole_ = false;
    }
    z.next_out = reinterpret_cast<Bytef*>(stream_->out.data());
    z.avail_out = static_cast<uInt>(stream_->out.size());
    const int result = inflate(&z, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return Step::corrupt;
    const std::size_t n = stream_->out.size() - z.avail_out;
    if (n > 0 && !out(std::string_view(stream_->out.data(), n))) return Step::stopped;
    whole_ = result == Z_STREAM_END;
    full = z.avail_out == 0 && !whole_;
  }
  return Step::more;
}

}  // namespace tanggul::curl
