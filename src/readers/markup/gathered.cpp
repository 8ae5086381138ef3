#include "readers/markup/gathered.h"

#include <algorithm>

namespace tanggul::readers {

void Gathered::add(std::string_view line, std::uint32_t number) {
  if (lines_.empty()) first_ = number;
  lines_.push_back(line);
  bytes_ += line.size() + 1;
}

void Gathered::give(Block::Kind kind, int level, std::string_view info, std::size_t keep) {
  const std::size_t count = lines_.size() - std::min(keep, lines_.size());
  if (count == 0) return;
  Block block{kind, level, info, lines_[0], first_};
  if (count > 1) {
    joined_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) joined_ += '\n';
      joined_ += lines_[i];
    }
    block.text = joined_;
  }
  const std::vector<std::string_view> rest(lines_.begin() + static_cast<std::ptrdiff_t>(count),
                                           lines_.end());
  const std::uint32_t next = first_ + static_cast<std::uint32_t>(count);
  sink_.block(block);
  clear();
  for (std::size_t i = 0; i < rest.size(); ++i) add(rest[i], next + static_cast<std::uint32_t>(i));
}

void Gathered::drop_last() {
  bytes_ -= lines_.back().size() + 1;
  lines_.pop_back();
}

void Gathered::drop_blank_end() {
  while (!lines_.empty() && lines_.back().find_first_not_of(" \t") == std::string_view::npos)
    drop_last();
}

}  // namespace tanggul::readers
