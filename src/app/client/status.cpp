#include "app/client/status.h"

#include <fmt/format.h>

#include <ostream>

#include "app/client/http_exchange.h"
#include "app/client/status_table.h"
#include "tanggul/base/clock.h"

namespace tanggul::app {
namespace {

constexpr Duration kPatience = 5s;

}  // namespace

int show_status(const AdminAddress& admin, bool as_json, const Console& console) {
  const auto url = admin_url(admin, false, console);
  if (!url) return kWrongUsage;
  const HttpAnswer answer =
      http_exchange(*url, {.target = "/api/status", .token = admin.token}, kPatience);
  if (answer.status == 0) {
    console.err << fmt::format("No shield answers at {}: {}.\n", url->text(), answer.error);
    return kFailed;
  }
  const std::string table = status_table(answer.body, console.colour);
  if (answer.status != 200 || table.empty()) {
    console.err << refused_with(*url, answer.status, "status") << '\n';
    return kFailed;
  }
  console.out << (as_json ? answer.body : table);
  if (as_json && !answer.body.ends_with('\n')) console.out << '\n';
  return kDone;
}

}  // namespace tanggul::app
