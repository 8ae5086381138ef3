#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "app/catalog/command.h"
#include "base/bytes.h"
#include "base/random_name.h"
#include "base/utf8.h"

namespace tanggul::app {
namespace {

int failed(const Failure& failure, const Console& console) {
  console.err << fmt::format("error: {}\n", printable(failure.detail));
  return failure.code == Errc::bad_input ? kWrongUsage : kFailed;
}

int cannot_write(const std::string& file, const Console& console) {
  console.err << fmt::format("error: {}: cannot be written: {}\n", to_utf8(printable(file)),
                             std::strerror(errno));
  return kFailed;
}

// Under another name first, beside it, so that nobody reads half of it.
int export_to_file(sync::Catalog& catalog, const ExportQuery& query, const Console& console) {
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(query.output, ignored) ||
                       !std::filesystem::exists(query.output, ignored);
  const std::string file = is_file ? query.output + "." + random_name(4) + ".part" : query.output;
  std::ofstream out(file, std::ios::binary);
  if (!out) return cannot_write(query.output, console);
  const auto exported = sync::export_catalog(catalog, query.options, out);
  out.close();
  const bool written = exported && out;
  if (written && (!is_file || std::rename(file.c_str(), query.output.c_str()) == 0)) return kDone;
  const int status =
      exported ? cannot_write(query.output, console) : failed(exported.error(), console);
  if (is_file) std::filesystem::remove(file, ignored);
  return status;
}

}  // namespace

int export_catalog(sync::Catalog& catalog, const ExportQuery& query, const Console& console) {
  if (!query.output.empty()) return export_to_file(catalog, query, console);
  const auto exported = sync::export_catalog(catalog, query.options, console.out);
  return exported ? kDone : failed(exported.error(), console);
}

}  // namespace tanggul::app
