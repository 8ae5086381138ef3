// What people write as the address of a repository.
#include <cstdint>
#include <string>
#include <string_view>

#include "check.h"
#include "sync/repository/address.h"

using namespace tanggul;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto address = sync::parse_address(text);
  if (!address) {
    FUZZ_CHECK(address.error().code == Errc::bad_input && !address.error().detail.empty());
    return 0;
  }
  const std::string& url = address->url;
  FUZZ_CHECK(url.starts_with("https://") || url.starts_with("http://"));
  FUZZ_CHECK(url.size() <= 2048);
  for (const char c : url) FUZZ_CHECK(c > 0x20 && c < 0x7f);
  FUZZ_CHECK(url.find_first_of("?#\\") == std::string::npos);
  FUZZ_CHECK(url.substr(0, url.find('/', 8)).find('@') == std::string::npos);
  FUZZ_CHECK(url.find("/../") == std::string::npos && url.find("/./") == std::string::npos);
  FUZZ_CHECK(url.find("//", 8) == std::string::npos);
  FUZZ_CHECK(!url.ends_with("/") && !url.ends_with("/..") && !url.ends_with(".git"));
  const auto again = sync::parse_address(url);
  FUZZ_CHECK(again && again->url == url);
  return 0;
}
