#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "app/catalog/command.h"
#include "app/config/environment.h"
#include "app/terminal/console.h"

namespace tanggul::app {

// `tanggul catalog …`: what the command line may say, and what is done then.
class CatalogCommands {
 public:
  explicit CatalogCommands(CLI::App& app);
  CatalogCommands(const CatalogCommands&) = delete;  // the parser holds references
  CatalogCommands& operator=(const CatalogCommands&) = delete;

  // After parsing; nullopt: it was another command.
  std::optional<int> run(const Console& console, const Environment& environment);

 private:
  CLI::App* add(CLI::App& to, const char* name, const char* what);
  void add_export(CLI::App& to);
  int ask(sync::Catalog& catalog, const Console& console);
  int judge(sync::Catalog& catalog, const Console& console);

  CLI::App *catalog_, *paper_, *repository_, *search_, *export_, *accept_, *withdraw_;
  std::string config_, data_, what_, release_;
  std::vector<std::string> words_;
  ExportQuery export_query_;
  bool json_ = false, csv_ = false, pwc_ = false;
};

}  // namespace tanggul::app
