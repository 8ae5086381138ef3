#include "app/client/admin_address.h"

#include <fmt/format.h>

#include <ostream>

#include "app/config/config.h"
#include "base/bytes.h"

namespace tanggul::app {

std::optional<AdminAddress> admin_address(const std::string& config, const std::string& url,
                                          const Environment& environment, const Console& console) {
  AdminAddress address;
  std::string token_env = "TANGGUL_TOKEN";
  if (!config.empty()) {
    const LoadedConfig loaded = load_config(config, {}, environment);
    for (const std::string& error : loaded.errors)
      console.err << "error: " << printable(error) << '\n';
    if (!loaded.config) return std::nullopt;
    address.url = "http://" + loaded.config->admin;
    if (!loaded.config->admin_token_env.empty()) token_env = loaded.config->admin_token_env;
  }
  if (!url.empty()) address.url = url;
  address.token = environment(token_env).value_or("");
  return address;
}

std::optional<Url> admin_url(const AdminAddress& address, bool https, const Console& console) {
  const Read<Url> url = read_url(address.url);
  if (url.value && (https || url.value->scheme == "http")) return url.value;
  console.err << fmt::format("error: --admin: \"{}\" is no {} URL; write one like {}\n",
                             mask_userinfo(address.url), https ? "http or https" : "http",
                             AdminAddress().url);
  return std::nullopt;
}

std::string refused_with(const Url& url, int status, std::string_view instead_of) {
  if (status == 401)
    return fmt::format(
        "{} asks for a token: name its configuration by --config, or set "
        "TANGGUL_TOKEN.",
        url.text());
  return fmt::format("{} answers {}, which is no {} of a shield.", url.text(), status, instead_of);
}

}  // namespace tanggul::app
