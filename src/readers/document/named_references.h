#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "readers/document/place.h"
#include "readers/markup/inline.h"
#include "readers/papers/mention.h"

namespace tanggul::readers {

// "[label][name]" and "implementation of [1]": what is said where a reference is used holds for its
// definition, "[name]: where" or "[1] Akata et al. …", which mostly comes later. Bounded: 4096
// names, of each its first three uses. One document's.
class NamedReferences {
 public:
  static bool uses_any(std::string_view text);

  void remember(std::string_view text, const std::vector<Span>& spans, const Place& place);
  // The signs of those who used the definition whose line this place is in.
  Signs of_definition(std::string_view text, std::size_t at) const;
  // Is the place in an entry of a list of references?
  static bool is_listed(std::string_view text, std::size_t at);

 private:
  struct Used {
    Signs signs = 0;
    std::uint32_t times = 0;
  };

  Signs* to_remember(std::string name);
  void remember_names(std::string_view text, const std::vector<Span>& spans, const Place& place);
  void remember_numbers(std::string_view text, const std::vector<Span>& spans, const Place& place);

  std::map<std::string, Used, std::less<>> used_;
};

}  // namespace tanggul::readers
