// Identifiers in any text.
#include <cstdint>
#include <string>
#include <string_view>

#include "check.h"
#include "readers/arxiv/finder.h"

using namespace tanggul::readers::arxiv;

namespace {

constexpr Month kNow{2026, 11};

void check_found(std::string_view text, const Found& found, std::size_t last_end) {
  FUZZ_CHECK(found.begin >= last_end && found.begin < found.end && found.end <= text.size());
  FUZZ_CHECK(text[found.begin] >= '0' && text[found.begin] <= '9');
  FUZZ_CHECK(found.id.version < 1000);
  const auto again = parse(found.id.canonical, kNow);
  FUZZ_CHECK(again && again->canonical == found.id.canonical && again->version == 0);
  // As a link it is found whatever it was before.
  FUZZ_CHECK(has_id("https://arxiv.org/abs/" + found.id.canonical, kNow));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t found_any = 0, end = 0;
  find(text, kNow, [&](Found&& found) {
    check_found(text, found, end);
    end = found.end;
    ++found_any;
    return true;
  });
  FUZZ_CHECK(has_id(text, kNow) == (found_any > 0));
  if (const auto id = parse(text, kNow)) {
    const auto again = parse(id->canonical, kNow);
    FUZZ_CHECK(again && again->canonical == id->canonical && again->version == 0);
  }
  return 0;
}
