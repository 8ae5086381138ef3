#include "ports/source_tree.h"

namespace tanggul::ports {

std::string_view name(Unread why) noexcept {
  switch (why) {
    case Unread::absent:
      return "absent";
    case Unread::dangling:
      return "dangling";
    case Unread::outside:
      return "outside";
    case Unread::loop:
      return "loop";
    case Unread::not_regular:
      return "not_regular";
    case Unread::unreadable:
      return "unreadable";
  }
  return "unknown";
}

}  // namespace tanggul::ports
