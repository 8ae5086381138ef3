#include "app/sync/findings_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/terminal/text_table.h"
#include "base/bytes.h"

namespace tanggul::app {
namespace {

constexpr std::size_t kMostLines = 50, kWidth = 110;
constexpr const char *kBold = "\x1b[1m", *kGreen = "\x1b[32m", *kYellow = "\x1b[33m",
                     *kRed = "\x1b[31m";

std::string place(const std::string& file, std::uint32_t line) {
  return line > 0 ? fmt::format("{}:{}", printable(file), line) : printable(file);
}

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string out;
  for (const std::string& text : texts)
    out += (out.empty() ? "" : std::string(between)) + printable(text);
  return out;
}

class Page {
 public:
  explicit Page(bool colour) : colour_(colour) {}

  void heading(std::string_view name, std::size_t count) {
    out_ += fmt::format("\n{}\n", painted(fmt::format("{} ({})", name, count), kBold, colour_));
  }
  void line(const std::string& text) { out_ += text + "\n"; }
  void table(const TextTable& table) { out_ += table.text(kWidth, colour_); }
  // The first of many, and how many more there are.
  template <class Items, class Put>
  void list(std::string_view name, const Items& items, Put put) {
    if (items.empty()) return;
    heading(name, items.size());
    for (std::size_t i = 0; i < std::min(items.size(), kMostLines); ++i) put(items[i]);
    if (items.size() > kMostLines)
      line(fmt::format("  … and {} more (--json prints all)", items.size() - kMostLines));
  }
  std::string text() && { return std::move(out_); }

 private:
  bool colour_;
  std::string out_;
};

void put_papers(Page& page, const std::vector<readers::Paper>& papers) {
  if (papers.empty()) return page.line("no paper is named");
  page.heading("papers", papers.size());
  TextTable table({{"arxiv"}, {"whose"}, {"first named in"}, {"score"}, {"mentions"}}, 3);
  for (std::size_t i = 0; i < std::min(papers.size(), kMostLines); ++i) {
    const readers::Paper& paper = papers[i];
    const std::string where =
        paper.evidence.empty() ? "" : place(paper.evidence[0].file, paper.evidence[0].line);
    table.add({{paper.arxiv},
               {paper.own ? "own" : "cited", paper.own ? kGreen : ""},
               {where},
               {fmt::format("{:.2f}", paper.score)},
               {std::to_string(paper.mentions)}});
    if (!paper.reasons.empty()) table.note({joined(paper.reasons, "; ")});
  }
  page.table(table);
  if (papers.size() > kMostLines)
    page.line(fmt::format("  … and {} more (--json prints all)", papers.size() - kMostLines));
}

void put_model(Page& page, const sync::Filed<readers::Model>& filed) {
  const readers::Model& model = filed.value;
  std::string text =
      fmt::format("\nmodel {}: {}", printable(filed.file),
                  printable(model.model_type.empty() ? model.class_name : model.model_type));
  if (!model.architectures.empty()) text += " " + joined(model.architectures, ", ");
  const auto count = [&text](std::string_view name, const std::optional<std::int64_t>& value) {
    if (value) text += fmt::format(", {} {}", name, *value);
  };
  count("hidden size", model.hidden_size);
  count("layers", model.num_hidden_layers);
  count("vocabulary", model.vocab_size);
  page.line(text);
}

void put_rows(Page& page, const std::vector<sync::Filed<readers::ModelIndexRow>>& rows) {
  if (rows.empty()) return;
  page.heading("model index", rows.size());
  TextTable table({{"model"}, {"task"}, {"dataset"}, {"metric"}, {"value"}}, 4);
  for (std::size_t i = 0; i < std::min(rows.size(), kMostLines); ++i) {
    const readers::ModelIndexRow& row = rows[i].value;
    const auto cell = [](const std::string& a, const std::string& b) {
      return Cell{cut(printable(a.empty() ? b : a), 32)};
    };
    table.add({cell(row.model, ""), cell(row.task, row.task_name),
               cell(row.dataset_name, row.dataset), cell(row.metric, row.metric_name),
               cell(row.value.text, "")});
  }
  page.table(table);
  if (rows.size() > kMostLines)
    page.line(fmt::format("  … and {} more (--json prints all)", rows.size() - kMostLines));
}

}  // namespace

std::string findings_text(const Source& source, const sync::Findings& findings, bool colour) {
  Page page(colour);
  page.line(fmt::format("{} {}{}: {} file{} read", source.kind, printable(source.path),
                        source.kind != "git" ? ""
                        : source.commit      ? " at " + source.commit->substr(0, 12)
                                             : ", empty: it has no commit yet",
                        findings.files_read, findings.files_read == 1 ? "" : "s"));
  put_papers(page, findings.papers);
  page.list("result tables", findings.result_tables, [&page](const auto& table) {
    page.line(fmt::format("  {}: {} rows, {} values: {}", place(table.file, table.value.table.line),
                          table.value.table.rows.size(), table.value.results.size(),
                          cut(joined(table.value.table.columns, " | "), 80)));
  });
  put_rows(page, findings.model_index);
  if (findings.model) put_model(page, *findings.model);
  page.list("skipped", findings.skipped, [&](const sync::Skipped& skipped) {
    const std::string file = skipped.file.empty() ? "" : printable(skipped.file) + ": ";
    page.line(painted(fmt::format("  {}{}", file, skipped.reason), kYellow, colour));
  });
  page.list("truncated", findings.truncated, [&](const sync::Truncated& cut_off) {
    page.line(painted(fmt::format("  {}: the first {} of {} bytes", printable(cut_off.file),
                                  cut_off.read, cut_off.size),
                      kYellow, colour));
  });
  page.list("errors", findings.errors, [&](const sync::StageError& error) {
    page.line(painted(fmt::format("  {} {}: {}", sync::name(error.stage), printable(error.file),
                                  printable(error.message)),
                      kRed, colour));
  });
  page.list("defects of the input", findings.defects, [&](const sync::StageDefect& defect) {
    page.line(fmt::format("  {} {}: {}", sync::name(defect.stage), place(defect.file, defect.line),
                          printable(defect.message)));
  });
  return std::move(page).text();
}

}  // namespace tanggul::app
