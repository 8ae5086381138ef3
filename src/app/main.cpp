#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "app/command_line.h"
#include "app/service/serve.h"

int main(int argc, char** argv) {
  using namespace tanggul::app;
  const bool tty = isatty(STDOUT_FILENO) == 1;
  const char* term = std::getenv("TERM");
  const bool colour = tty && std::getenv("NO_COLOR") == nullptr;
  const bool terminal = tty && term != nullptr && std::string_view(term) != "dumb";
  const ServiceNotify notify = ServiceNotify::take();
  const int status = run_command_line(argc, argv, {std::cout, std::cerr, colour, terminal},
                                      [&](const Config& config, const ConfigLoader& load_again) {
                                        return serve(config, load_again, notify);
                                      });
  std::cout.flush();
  if (std::cout) return status;
  std::cerr << "error: standard output cannot be written\n";
  return std::max(status, 1);  // what was to be printed is not there
}
