#include "conformance/catalog_examples.h"

#include <fmt/format.h>

namespace tanggul::test {
namespace {

readers::Paper paper(std::size_t number) {
  readers::Paper out;
  out.arxiv = fmt::format("1706.{:05}", number);
  out.version = static_cast<unsigned>(number % 3);
  out.own = number == 1;
  out.score = out.own ? 0.85 : 0.1 + 0.2;
  out.reasons = {"the title links it"};
  out.evidence = {{"README.md", 7, readers::EvidenceKind::link, "see [it](https://…)", 2}};
  out.mentions = number + 1;
  return out;
}

readers::ResultTable table() {
  readers::ResultTable out;
  out.table = {3, false, {"Model", "Acc"}, {{"ours", "91.50"}, {"theirs"}}, {"Results"}, true};
  readers::TableResult result;
  result.row = 0, result.column = 1, result.subject = "ours", result.task = "parsing";
  result.dataset = "WSJ", result.metric = "Acc", result.text = "91.50", result.value = 91.5;
  out.results = {result};
  return out;
}

readers::ModelIndexRow row(std::string metric, std::string text, std::optional<double> number) {
  readers::ModelIndexRow out;
  out.model = "some-model", out.task = "translation", out.dataset = "wmt14";
  out.dataset_name = "WMT 14", out.metric = std::move(metric), out.line = 9;
  out.value = {std::move(text), number, true};
  return out;
}

}  // namespace

sync::Findings findings(std::size_t papers) {
  sync::Findings out;
  for (std::size_t i = 1; i <= papers; ++i) out.papers.push_back(paper(i));
  out.result_tables.push_back({"README.md", table()});
  out.model_index.push_back({"README.md", row("bleu", "28.400", 28.4)});
  out.model_index.push_back({"README.md", row("ter", "XX.XX", std::nullopt)});
  readers::Model model;
  model.architectures = {"BertModel"}, model.model_type = "bert", model.hidden_size = 768;
  out.model = sync::Filed<readers::Model>{"config.json", model};
  model.name_or_path = "other/bert", model.hidden_size.reset();
  out.other_models.push_back({"b/config.json", model});
  out.skipped = {{"a.bin", "it is no text"}};
  out.truncated = {{"b.md", 10, 20}};
  out.errors = {{sync::Stage::bibtex, "c.bib", "too deep"}};
  out.defects = {{sync::Stage::citation, "CITATION.cff", 4, "no title"}};
  out.files_read = 5, out.bytes_read = 12345;
  return out;
}

sync::Visit visit(const std::string& name, const std::string& commit, const std::string& release,
                  WallTime at) {
  sync::Visit out;
  out.repository.url = "https://github.com/" + name;
  out.repository.forge = "github.com";
  out.repository.name = name;
  out.commit = commit;
  out.release.name = release;
  out.at = at;
  out.findings = findings();
  return out;
}

}  // namespace tanggul::test
