#pragma once

#include <string_view>

namespace tanggul::app {

// All of it, to standard output and past the buffers of std::cout, which takes a signal in the
// middle for the end. Who is not read from gives up at the fourth signal. False: it did not all go
// out.
bool write_out(std::string_view bytes);

// A terminal's other screen, drawn over in place; what the terminal showed before comes back with
// the destructor. It is that of standard output, whose size is asked anew each time.
class Screen {
 public:
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  bool draw(std::string_view text);  // false: the terminal is gone
};

}  // namespace tanggul::app
