#include "app/client/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "app/terminal/text_table.h"

namespace tanggul::app {

bool write_out(std::string_view bytes) {
  for (int signals = 0; !bytes.empty();) {
    const ssize_t n = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (n < 0 && (errno != EINTR || ++signals > 3)) return false;
    if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

// xterm's alternate screen, the cursor hidden; every terminal that Debian knows takes both or
// ignores them.
Screen::Screen() { write_out("\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J"); }

Screen::~Screen() { write_out("\x1b[?25h\x1b[?1049l"); }

bool Screen::draw(std::string_view text) {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return write_out(redrawn(text, known ? size.ws_col : 80, known ? size.ws_row : 24));
}

}  // namespace tanggul::app
