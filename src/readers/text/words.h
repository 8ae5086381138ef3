#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tanggul::readers {

// Lower case, cut at all that is no letter or digit: "Top-1 Acc." gives top, 1, acc. Of the first
// 2 KiB.
std::vector<std::string> words_of(std::string_view text, std::size_t most = 64);

}  // namespace tanggul::readers
