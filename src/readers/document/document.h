#pragma once

#include <cstdint>
#include <string_view>

#include "readers/arxiv/id.h"
#include "readers/papers/mention.h"
#include "readers/tables/results.h"

namespace tanggul::readers {

// What a document says, as it is read, in the document's order.
class DocumentSink {
 public:
  virtual ~DocumentSink() = default;
  virtual void mention(const Mention& mention) = 0;
  // Is so much known of the paper that further mentions need no more than be counted? They come
  // without text and signs then.
  virtual bool enough(std::string_view id) const = 0;
  virtual void result_table(ResultTable table) = 0;
  // A comment that begins "Type: model-index": the one kind that is read (Papers with Code's
  // model-index). `yaml` is valid during the call.
  virtual void model_index(std::string_view yaml, std::uint32_t line) = 0;
  // The document is imperfect here; the rest of it is read.
  virtual void defect(std::uint32_t line, std::string_view message) = 0;
};

// Each reads a document of UTF-8 text with '\n' line ends. Linear in time; what is held is bounded
// whatever the document is: one block, of tables 20,000 cells and 2,000 rows each.
// `first_line` is the number of the text's first line, `latest` the month of now.
void read_markdown(std::string_view text, std::uint32_t first_line, const arxiv::Month& latest,
                   DocumentSink& sink);
void read_rest(std::string_view text, const arxiv::Month& latest, DocumentSink& sink);
// Paragraphs between empty lines, the first being the title.
void read_plain(std::string_view text, const arxiv::Month& latest, DocumentSink& sink);
// A BibTeX file. `own`: it tells how to cite the work itself (CITATION.bib).
void read_bibtex_file(std::string_view text, bool own, const arxiv::Month& latest,
                      DocumentSink& sink);
// YAML, JSON or any other text whose structure is read elsewhere: identifiers alone.
void read_identifiers(std::string_view text, std::uint32_t first_line, EvidenceKind kind,
                      Signs signs, const arxiv::Month& latest, DocumentSink& sink);

}  // namespace tanggul::readers
