#pragma once

#include <iosfwd>
#include <string_view>

namespace tanggul::app {

// A terminal's other screen, drawn over in place; what the terminal showed before comes back with
// the destructor. The size is that of standard output, asked anew each time.
class Screen {
 public:
  explicit Screen(std::ostream& out);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void draw(std::string_view text);

 private:
  std::ostream& out_;
};

}  // namespace tanggul::app
