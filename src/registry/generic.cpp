#include "registry/generic.h"

#include "http/target.h"

namespace tanggul::registry {
namespace {

class Generic final : public Kind {
 public:
  explicit Generic(GenericKey key) : key_(std::move(key)) {}

  std::string_view name() const override { return "generic"; }
  std::vector<std::string> patterns(std::string_view origin) const override {
    return {std::string(origin)};
  }

  Classified classify(const http::RequestHead& request, std::string_view rest, std::string_view,
                      std::string& key) const override {
    Classified what;
    const bool reads = request.method == "GET" || request.method == "HEAD";
    what.way = reads ? Classified::Way::cached : Classified::Way::pass;
    if (key_.sort_query || !key_.drop_query.empty()) {
      key += normalised(rest);
    } else {
      key += rest;
    }
    return what;
  }

  Plan plan(const http::RequestHead&, std::string_view rest, const Classified&) const override {
    Plan plan;
    plan.target = rest;
    return plan;
  }

  Result<Rewritten> rewrite(std::string_view, std::string_view, std::string_view,
                            std::string_view) const override {
    return Errc::internal;  // nothing is classified as a document here
  }
  DigestSource digest_source(std::string_view, std::string_view) const override { return {}; }
  std::optional<Expected> expected(std::string_view, std::string_view) const override {
    return std::nullopt;
  }
  bool is_registry() const override { return false; }

 private:
  std::string normalised(std::string_view rest) const {
    const http::Target target = http::split_target(rest);
    std::string out(target.path);
    if (!target.has_query) return out;
    std::string query = http::drop_query(target.query, key_.drop_query);
    if (key_.sort_query) query = http::sort_query(query);
    if (!query.empty()) out.append("?").append(query);
    return out;
  }

  const GenericKey key_;
};

}  // namespace

std::unique_ptr<Kind> make_generic(GenericKey key) {
  return std::make_unique<Generic>(std::move(key));
}

}  // namespace tanggul::registry
