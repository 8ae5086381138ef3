#pragma once

#include <functional>
#include <string_view>

#include "readers/arxiv/form.h"
#include "readers/arxiv/id.h"

namespace tanggul::readers::arxiv {

struct Found {
  Id id;
  std::size_t begin = 0, end = 0;  // of its number in the text, the version included
  Form form = Form::text;
};

// Every identifier that a reader of `text` would take for one: in links of arXiv, its mirrors and
// the sites that go by its numbers, in badges, in DOIs of 10.48550, as "arXiv:…" with what stands
// between in practice (a word, marks, tags, percent-encoding, entities), of the old scheme also
// alone, in "1706.03762 [cs.CL]", in lists after the first, as CoRR's "abs/…" and in ADS bibcodes.
// A number without such a sign is none, nor is one inside another DOI. In the order of the text,
// until `found` returns false. Linear: of each number at most 256 bytes around are looked at.
void find(std::string_view text, const Month& latest,
          const std::function<bool(Found&& found)>& found);
// Is there any?
bool has_id(std::string_view text, const Month& latest);

}  // namespace tanggul::readers::arxiv
