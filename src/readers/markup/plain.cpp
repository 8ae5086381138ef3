#include "readers/markup/plain.h"

#include "readers/markup/gathered.h"
#include "readers/markup/line.h"

namespace tanggul::readers {

void scan_plain(std::string_view text, BlockSink& sink) {
  Gathered lines(sink);
  std::uint32_t number = 0;
  bool title = true;
  const auto give = [&] {
    if (lines.empty()) return;
    lines.give(title && lines.count() == 1 ? Block::Kind::heading : Block::Kind::paragraph, 1);
    lines.clear();
    title = false;
  };
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    ++number;
    if (is_blank(line))
      give();
    else if (lines.full())
      give(), lines.add(trim(line), number);
    else
      lines.add(trim(line), number);
  }
  give();
}

}  // namespace tanggul::readers
