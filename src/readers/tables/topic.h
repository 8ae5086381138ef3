#pragma once

#include <string_view>

namespace tanggul::readers {

// What the words of a header cell or of a row's label speak of.
struct Topic {
  bool metric = false;   // accuracy, BLEU, FID …
  bool dataset = false;  // ImageNet, GLUE, HumanEval …
  bool weak = false;     // "val", "average": a result if the numbers or the words around say so
  bool cost = false;     // what was given or spent, not measured: parameters, epochs, memory, links
};
Topic topic_of(std::string_view text);

// Does a heading or a sentence announce measured results?
bool announces_results(std::string_view text);

}  // namespace tanggul::readers
