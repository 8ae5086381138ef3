#include "app/sync/catalog_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ostream>

#include "app/sync/fleet_config.h"
#include "app/sync/stores.h"
#include "base/bytes.h"

namespace tanggul::app {

CatalogCommands::CatalogCommands(CLI::App& app) {
  catalog_ = app.add_subcommand("catalog", "Show what the repositories that were read say");
  catalog_->require_subcommand(1);
  paper_ = add(*catalog_, "paper", "Show the repositories that name a paper, its own first");
  paper_->add_option("ID", what_, "An arXiv identifier")->required();
  repository_ = add(*catalog_, "repo", "Show what a repository says, and when it was visited");
  repository_->add_option("URL", what_, "Its address, or one that it had")->required();
  search_ = add(*catalog_, "search", "Find papers, repositories, models and data sets by words");
  search_->add_option("WORDS", words_, "All of them are to be there")->required();
  for (CLI::App* const command : {paper_, repository_, search_})
    command->add_flag("--json", json_, "Print JSON");
  add_export(*catalog_);
  accept_ = add(*catalog_, "accept", "Have what a release has read count as true from now on");
  withdraw_ =
      add(*catalog_, "withdraw", "Have it count no more: what stood before it stands again");
  for (CLI::App* const command : {accept_, withdraw_})
    command->add_option("RELEASE", release_, "As it was called by sync work --release")->required();
}

CLI::App* CatalogCommands::add(CLI::App& to, const char* name, const char* what) {
  CLI::App* const command = to.add_subcommand(name, what);
  add_config_options(*command, config_, data_);
  return command;
}

void CatalogCommands::add_export(CLI::App& to) {
  export_ = add(to, "export", "Print all that is true now, row by row");
  auto* const json = export_->add_flag("--json", json_, "As JSON, an object a line (default)");
  auto* const csv = export_->add_flag("--csv", csv_, "As CSV, one table");
  auto* const pwc = export_->add_flag("--pwc", pwc_, "In the shape of Papers with Code");
  json->excludes(csv)->excludes(pwc);
  csv->excludes(pwc);
  export_->add_option("--table", export_query_.options.table,
                      "Only this table (with --csv and --pwc default links)");
  export_->add_flag("--times", export_query_.options.times,
                    "With when things were seen, which differ from catalog to catalog");
  export_->add_option("--output", export_query_.output,
                      "Into this file, which is there as a whole or not at all");
}

std::optional<int> CatalogCommands::run(const Console& console, const Environment& environment) {
  if (!catalog_->parsed()) return std::nullopt;
  const auto config = fleet_config(config_, data_, environment, console);
  if (!config) return kWrongUsage;
  const auto failed = [&](const Failure& failure) {
    console.err << fmt::format("error: {}\n", printable(failure.detail));
    return kFailed;
  };
  const auto address = catalog_address(*config);
  if (!address) return failed(address.error());
  // An export is as long as whoever takes it is slow.
  const auto session = open_catalog(*address, export_->parsed() ? 0s : 30s);
  if (!session) return failed(session.error());
  auto catalog = sync::Catalog::open(**session);
  if (!catalog) return failed(catalog.error());
  return ask(*catalog, console);
}

int CatalogCommands::ask(sync::Catalog& catalog, const Console& console) {
  if (paper_->parsed()) return show_paper(catalog, {what_, json_}, console);
  if (repository_->parsed()) return show_repository(catalog, {what_, json_}, console);
  if (search_->parsed()) return search_catalog(catalog, {words_, json_}, console);
  if (!export_->parsed()) return judge(catalog, console);
  if (csv_) export_query_.options.format = sync::ExportFormat::csv;
  if (pwc_) export_query_.options.format = sync::ExportFormat::pwc;
  return export_catalog(catalog, export_query_, console);
}

int CatalogCommands::judge(sync::Catalog& catalog, const Console& console) {
  const bool accepted = accept_->parsed();
  const auto done =
      accepted ? catalog.accept(release_, wall_now()) : catalog.withdraw(release_, wall_now());
  if (!done) {
    console.err << fmt::format("error: {}\n", printable(done.error().detail));
    return kFailed;
  }
  console.out << fmt::format("{} {}\n", printable(release_),
                             accepted ? "counts from now on" : "counts no more");
  return kDone;
}

}  // namespace tanggul::app
