#include "readers/tables/results.h"

#include <algorithm>

#include "base/utf8.h"
#include "readers/tables/number.h"
#include "readers/tables/topic.h"
#include "readers/text/words.h"

namespace tanggul::readers {
namespace {

// A row may end before the last column.
const std::string& cell_of(const Table& table, std::size_t r, std::size_t c) {
  static const std::string kEmpty;
  return c < table.rows[r].size() ? table.rows[r][c] : kEmpty;
}

struct Column {
  Topic topic;
  std::size_t filled = 0, numbers = 0, fractions = 0, sized = 0;
  std::size_t scores = 0;  // between 1 and 100, with digits behind the point
  bool numeric() const { return numbers > 0 && numbers * 3 >= filled; }
  std::size_t large = 0;  // 1000 and more, without a point: counts, but for rewards and ratings
  bool holds_results() const {
    return numeric() && sized * 2 <= numbers && (large < numbers || rated);
  }
  bool rated = false;
};

bool empty_cell(const std::string& cell) {
  return cell.find_first_not_of(" -–—/xX?") == std::string::npos || cell == "N/A" ||
         cell == "n/a" || cell == "TBD" || cell == "✗" || cell == "✔";
}

bool named(const std::string& header, std::initializer_list<std::string_view> names) {
  const auto words = words_of(header);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(names.begin(), names.end(), word) != names.end();
  });
}

Column column_of(const Table& table, std::size_t c) {
  Column column;
  column.topic = topic_of(table.columns[c]);
  column.rated = named(table.columns[c], {"elo", "reward", "rewards", "return", "score", "scores",
                                          "rating", "fid", "fvd", "ppl", "perplexity", "mse"});
  for (const auto& row : table.rows) {
    if (c >= row.size() || empty_cell(row[c])) continue;
    ++column.filled;
    if (const auto number = cell_number(row[c])) {
      ++column.numbers;
      column.fractions += number->fraction ? 1 : 0;
      column.sized += number->sized ? 1 : 0;
      column.large += !number->fraction && number->value >= 1000 ? 1 : 0;
      column.scores += number->fraction && number->value >= 1 && number->value <= 100 ? 1 : 0;
    }
  }
  return column;
}

// The column with the rows' names: the first that holds mostly words.
std::size_t label_column(const std::vector<Column>& columns) {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].filled > 0 && !columns[c].numeric()) return c;
  return 0;
}

bool says(const Topic& topic) { return topic.metric || topic.dataset; }
bool spent(const Topic& topic) { return topic.cost && !says(topic); }

class Judge {
 public:
  explicit Judge(const Table& table) : table_(table) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) columns_.push_back(column_of(table, c));
    label_ = label_column(columns_);
    announced_ = table.announced;
    announced_ = announced_ || named(table.columns[label_], {"metric", "metrics", "measure"});
    any_numbers_ =
        std::any_of(columns_.begin(), columns_.end(), [](const Column& c) { return c.numeric(); });
    if (!any_numbers_) return;
    rows_.reserve(table.rows.size());
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      rows_.push_back(topic_of(cell_of(table, r, label_)));
  }

  bool measured() {
    if (!any_numbers_ || rows_are_settings()) return false;
    return by_columns() || by_rows() || by_weak_columns() || by_surroundings();
  }

  bool transposed() const { return transposed_; }
  std::size_t label() const { return label_; }
  const Column& column(std::size_t c) const { return columns_[c]; }
  const Topic& row(std::size_t r) const { return rows_[r]; }

 private:
  // "--lr", "batch size": a table of how, whatever it is for.
  bool rows_are_settings() const {
    std::size_t settings = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r)
      settings += spent(rows_[r]) || cell_of(table_, r, label_).starts_with("--") ? 1 : 0;
    return settings * 2 > rows_.size();
  }

  // "| Model | Accuracy | ImageNet |"
  bool by_columns() const {
    return std::any_of(columns_.begin(), columns_.end(), [](const Column& c) {
      return c.holds_results() && says(c.topic) && (c.topic.metric || !c.topic.cost);
    });
  }

  // "| Model | Validation | Average |"
  bool by_weak_columns() const {
    return std::any_of(columns_.begin(), columns_.end(), [this](const Column& c) {
      return c.holds_results() && c.topic.weak && !c.topic.cost && (c.fractions > 0 || announced_);
    });
  }

  // "| | Model A | Model B |" with a metric or a dataset at the head of each row.
  bool by_rows() {
    std::size_t results = 0, spents = 0;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const bool number = row_has_number(r);
      if (number && says(rows_[r]) && !rows_[r].cost) ++results;
      if (number && spent(rows_[r])) ++spents;
    }
    transposed_ = results > 0 && results >= spents &&
                  results * 2 >= rows_.size() - std::min(rows_.size(), spents);
    if (transposed_ && !announced_ && results < 2) transposed_ = false;
    return transposed_;
  }

  bool row_has_number(std::size_t r) const {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (c != label_ && !spent(columns_[c].topic))
        if (const auto number = cell_number(cell_of(table_, r, c)); number && !number->sized)
          return true;
    return false;
  }

  // Names that say nothing to us, under words that do; or numbers like scores beside models.
  bool by_surroundings() const {
    if (columns_.size() < 2) return false;
    std::size_t fit = 0, unfit = 0;
    bool scores = true;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c == label_ || !columns_[c].numeric()) continue;
      const bool sized = columns_[c].sized * 2 > columns_[c].numbers;
      const bool fits =
          !columns_[c].topic.cost && !sized && columns_[c].fractions * 2 >= columns_[c].numbers;
      ++(fits ? fit : unfit);
      scores = scores && columns_[c].scores * 2 > columns_[c].numbers;
    }
    const bool settings =
        std::any_of(rows_.begin(), rows_.end(), [](const Topic& t) { return t.cost; });
    if (settings || fit == 0) return false;
    const bool models = named(table_.columns[label_], {"model", "models", "method", "methods",
                                                       "模型", "方法", "モデル", "모델"});
    return announced_ ? fit >= unfit : models && scores && unfit == 0 && fit > 1;
  }

  const Table& table_;
  std::vector<Column> columns_;
  std::vector<Topic> rows_;
  std::size_t label_ = 0;
  bool announced_ = false, transposed_ = false;
  bool any_numbers_ = false;
};

// "ImageNet top-1" names a dataset and a metric: each takes its own words.
void speak(const std::string& text, const Topic& topic, TableResult& result) {
  if (!topic.dataset || !topic.metric) {
    (topic.dataset ? result.dataset : result.metric) = text;
    return;
  }
  std::string dataset, metric;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    std::string& of = topic_of(word).dataset ? dataset : metric;
    of += (of.empty() ? "" : " ") + word;
    at = end + 1;
  }
  const auto bare = [](std::string part) {
    if (part.starts_with('(') && part.ends_with(')')) part = part.substr(1, part.size() - 2);
    return part;
  };
  result.dataset = dataset.empty() ? text : bare(dataset);
  result.metric = metric.empty() ? text : bare(metric);
}

constexpr std::size_t kLongestName = 128, kLongestHeading = 64;

// In no more room than it takes: each result of a table may have a copy.
std::string cut(const std::string& name, std::size_t most) {
  constexpr std::string_view kMore = "…";
  if (name.size() <= most) return name;
  const std::string_view kept = utf8_prefix(name, most);
  std::string out;
  out.reserve(kept.size() + kMore.size());
  (out += kept) += kMore;
  return out;
}

class Collector {
 public:
  Collector(const Table& table, const Judge& judge)
      : table_(table), judge_(judge), subject_(judge.label()) {
    bool model = false;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const std::string& header = table.columns[c];
      if (named(header, {"dataset", "datasets", "datset", "data", "benchmark"})) dataset_ = c;
      if (named(header, {"task", "tasks"})) task_ = c;
      if (model || !named(header, {"model", "models", "method", "methods", "name", "模型", "方法"}))
        continue;
      model = true;
      if (!judge.column(c).numeric() && judge.column(c).filled > 0) subject_ = c;
    }
    if (!table.rows.empty() && named(cell_of(table, 0, judge.label()), {"metric", "metrics"}))
      metrics_ = &table.rows[0];
    for (const std::string& heading : table.headings)
      if (topic_of(heading).dataset) dataset_around_ = cut(heading, kLongestHeading);
  }

  void collect(std::vector<TableResult>& out) const {
    for (std::size_t r = 0; r < table_.rows.size(); ++r)
      for (std::size_t c = 0; c < table_.columns.size(); ++c)
        if (c != judge_.label() && judge_.column(c).numeric())
          if (const auto number = cell_number(cell_of(table_, r, c)))
            out.push_back(result(r, c, number->value));
  }

 private:
  TableResult result(std::size_t r, std::size_t c, double value) const {
    TableResult found{r, c, {}, {}, {}, {}, cell_of(table_, r, c), value, is_measured(r, c)};
    if (task_ && !judge_.column(*task_).numeric()) found.task = cell_of(table_, r, *task_);
    if (dataset_ && !judge_.column(*dataset_).numeric())
      found.dataset = cell_of(table_, r, *dataset_);
    if (judge_.transposed()) {
      found.subject = table_.columns[c];
      speak(cell_of(table_, r, judge_.label()), judge_.row(r), found);
    } else {
      if (subject_ != dataset_ && subject_ != task_) found.subject = cell_of(table_, r, subject_);
      speak_of_column(c, found);
    }
    for (std::string* name : {&found.subject, &found.task, &found.dataset, &found.metric})
      if (name->size() > kLongestName) *name = cut(*name, kLongestName);
    if (found.dataset.empty()) found.dataset = dataset_around_;
    return found;
  }

  void speak_of_column(std::size_t c, TableResult& found) const {
    const std::string& header = table_.columns[c];
    // A second header, among the rows: "| Metrics | MCC | Acc |".
    if (metrics_ != nullptr && c < metrics_->size() && !(*metrics_)[c].empty()) {
      found.metric = (*metrics_)[c];
      if (found.dataset.empty()) found.dataset = header;
    } else {
      speak(header, judge_.column(c).topic, found);
    }
  }

  bool is_measured(std::size_t r, std::size_t c) const {
    if (spent(judge_.column(c).topic) || !judge_.column(c).holds_results()) return false;
    return !judge_.transposed() || !spent(judge_.row(r));
  }

  const Table& table_;
  const Judge& judge_;
  std::size_t subject_;
  std::optional<std::size_t> dataset_, task_;
  const std::vector<std::string>* metrics_ = nullptr;
  std::string dataset_around_;
};

}  // namespace

std::optional<ResultTable> measured(Table table) {
  if (table.columns.empty() || table.rows.empty()) return std::nullopt;
  Judge judge(table);
  if (!judge.measured()) return std::nullopt;
  ResultTable found;
  Collector(table, judge).collect(found.results);
  if (found.results.empty()) return std::nullopt;
  found.table = std::move(table);
  return found;
}

}  // namespace tanggul::readers
