// Documents of each markup; the first byte picks the reader: '0' and on.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "check.h"
#include "readers/document/document.h"
#include "readers/markup/html_scanner.h"
#include "readers/markup/inline.h"
#include "readers/markup/markdown.h"
#include "readers/markup/rest.h"
#include "readers/papers/ledger.h"
#include "readers/text/decoder.h"

using namespace tanggul::readers;

namespace {

constexpr std::size_t kReaders = 5;
constexpr arxiv::Month kNow{2026, 11};

// Blocks are of lines that the text has, one behind the other.
class Structure final : public BlockSink {
 public:
  explicit Structure(std::uint32_t lines) : lines_(lines) {}

  void block(const Block& block) override {
    const auto more = std::count(block.text.begin(), block.text.end(), '\n');
    check_line(block.line);
    FUZZ_CHECK(block.line + static_cast<std::uint32_t>(more) <= lines_);
    FUZZ_CHECK((block.kind == Block::Kind::heading) == (block.level > 0));
    FUZZ_CHECK(columns_ == 0);
    inside(block.text);
  }
  void begin_table(const Cells& header, std::uint32_t line) override {
    FUZZ_CHECK(columns_ == 0 && !header.empty() && header.size() <= 128);
    columns_ = header.size();
    check_line(line);
  }
  void row(const Cells& cells, std::uint32_t line) override {
    FUZZ_CHECK(columns_ > 0 && cells.size() <= columns_);
    check_line(line);
  }
  void end_table() override {
    FUZZ_CHECK(columns_ > 0);
    columns_ = 0;
  }
  bool in_table() const { return columns_ > 0; }

 private:
  void check_line(std::uint32_t line) {
    FUZZ_CHECK(line > last_ && line <= lines_);
    last_ = line;
  }

  static void inside(std::string_view text) {
    const Inline seen(text);
    FUZZ_CHECK(seen.visible().size() == text.size());
    for (const Span& span : seen.spans()) {
      FUZZ_CHECK(span.begin < span.text_begin && span.text_begin <= span.text_end);
      FUZZ_CHECK(span.text_end < span.end && span.end <= text.size());
    }
    HtmlScanner html;
    FUZZ_CHECK(html.feed(text, 1).size() == text.size());
    html.finish();
    for (const HtmlTable& table : html.take_tables())
      FUZZ_CHECK(table.header_rows <= table.rows.size());
    for (const HtmlHeading& heading : html.take_headings())
      FUZZ_CHECK(heading.begin <= text.size());
  }

  std::uint32_t lines_, last_ = 0;
  std::size_t columns_ = 0;
};

class Findings final : public DocumentSink {
 public:
  Findings(std::uint32_t lines, std::string_view text) : lines_(lines), text_(text) {}

  void mention(const Mention& mention) override {
    const auto id = arxiv::parse(mention.id.canonical, kNow);
    FUZZ_CHECK(id && id->canonical == mention.id.canonical);
    FUZZ_CHECK(mention.line <= lines_ && (mention.line > 0 || mention.text.empty()));
    FUZZ_CHECK(mention.text.size() <= 160);
    FUZZ_CHECK(tanggul::is_utf8(mention.text));
    ledger_.add("file", mention, true);
  }
  bool enough(std::string_view id) const override { return ledger_.enough(id); }
  void result_table(ResultTable found) override {
    const Table& table = found.table;
    FUZZ_CHECK(table.line > 0 && table.line <= lines_);
    FUZZ_CHECK(!table.columns.empty() && table.rows.size() <= 2000 && !found.results.empty());
    for (const auto& row : table.rows) FUZZ_CHECK(row.size() <= table.columns.size());
    for (const TableResult& result : found.results) {
      FUZZ_CHECK(result.row < table.rows.size() && result.column < table.columns.size());
      FUZZ_CHECK(result.text == table.rows[result.row][result.column]);
    }
  }
  void model_index(std::string_view yaml, std::uint32_t line) override {
    FUZZ_CHECK(line > 0 && line <= lines_ && yaml.size() <= text_.size());
  }
  void defect(std::uint32_t line, std::string_view message) override {
    FUZZ_CHECK(line > 0 && line <= lines_ && !message.empty());
  }
  void judge() {
    for (const Paper& paper : ledger_.take_papers()) {
      FUZZ_CHECK(paper.score >= 0 && paper.score <= 1 && paper.mentions > 0);
      FUZZ_CHECK(!paper.own || !paper.reasons.empty());
    }
  }

 private:
  std::uint32_t lines_;
  std::string_view text_;
  Ledger ledger_;
};

void check_structure(std::size_t reader, std::string_view text, std::uint32_t lines) {
  Structure structure(lines);
  if (reader == 1)
    scan_rest(text, structure);
  else
    scan_markdown(text, structure);
  FUZZ_CHECK(!structure.in_table());
}

// In pieces as well as whole.
std::string decoded(std::string_view bytes) {
  std::string whole = decode(bytes);
  FUZZ_CHECK(whole.size() <= 3 * bytes.size());
  FUZZ_CHECK(whole.find('\r') == whole.npos && whole.find('\0') == whole.npos);
  for (const std::size_t piece : {1UL, 7UL}) {
    Decoder decoder;
    for (std::string_view rest = bytes; !rest.empty();
         rest.remove_prefix(std::min(piece, rest.size())))
      decoder.feed(rest.substr(0, piece));
    FUZZ_CHECK(decoder.finish() == whole);
  }
  return whole;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t reader = data[0] % kReaders;
  // All readers are promised decoded text.
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string text = reader == 4 ? decoded(bytes) : decode(bytes);
  FUZZ_CHECK(tanggul::is_utf8(text));
  const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  Findings findings(lines, text);
  if (reader < 2 || reader == 4) check_structure(reader, text, lines);
  switch (reader) {
    case 1:
      read_rest(text, kNow, findings);
      break;
    case 2:
      read_plain(text, kNow, findings);
      break;
    case 3:
      read_bibtex_file(text, true, kNow, findings);
      break;
    default:
      read_markdown(text, 1, kNow, findings);
  }
  findings.judge();
  return 0;
}
