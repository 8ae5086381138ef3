#include <cstdint>
#include <string_view>

#include "check.h"
#include "readers/metadata/citation_cff.h"
#include "readers/metadata/codemeta.h"
#include "readers/metadata/config_json.h"
#include "readers/metadata/eval_results.h"
#include "readers/metadata/front_matter.h"
#include "readers/metadata/pwc_model_index.h"

using namespace tanggul::readers;

namespace {

constexpr std::size_t kReaders = 6;

Metadata read(std::size_t reader, std::string_view text) {
  switch (reader) {
    case 0:
      return read_front_matter(text, 1);
    case 1:
      return read_eval_results(text);
    case 2:
      return read_pwc_model_index(text, 1);
    case 3:
      return read_citation_cff(text);
    case 4:
      return read_codemeta(text);
    default:
      return read_config_json(text);
  }
}

void check_row(const ModelIndexRow& row, std::uint32_t lines) {
  FUZZ_CHECK(row.line >= 1 && row.line <= lines);
  FUZZ_CHECK(!row.task.empty() || !row.task_name.empty());
  FUZZ_CHECK(!row.dataset.empty() || !row.dataset_name.empty());
  FUZZ_CHECK(!row.value.json_number || row.value.number);
}

}  // namespace

// The first byte picks the reader: '0' and on.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto found = read(data[0] % kReaders, text);
  std::uint32_t lines = 2;  // an end may be seen on the line behind the last
  for (const char c : text) lines += c == '\n' || c == '\r' ? 1 : 0;
  for (const auto& row : found.rows) check_row(row, lines);
  for (const auto& reference : found.references) {
    FUZZ_CHECK(reference.line >= 1 && reference.line <= lines);
    FUZZ_CHECK(!reference.text.empty() || !reference.title.empty());
  }
  FUZZ_CHECK(found.defects.size() <= 101);
  for (const auto& defect : found.defects) FUZZ_CHECK(defect.line <= lines);
  return 0;
}
