#include "app/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <ostream>

#include "app/text_table.h"

namespace tanggul::app {

// xterm's alternate screen, the cursor hidden; every terminal that Debian knows takes both or
// ignores them.
Screen::Screen(std::ostream& out) : out_(out) {
  out_ << "\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J" << std::flush;
}

Screen::~Screen() { out_ << "\x1b[?25h\x1b[?1049l" << std::flush; }

void Screen::draw(std::string_view text) {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  out_ << redrawn(text, known ? size.ws_col : 80, known ? size.ws_row : 24) << std::flush;
}

}  // namespace tanggul::app
