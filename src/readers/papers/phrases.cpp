#include "readers/papers/phrases.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "readers/text/phrase_set.h"
#include "readers/text/words.h"

namespace tanggul::readers {
namespace {

// "our" in "your" and "four" says nothing.
bool says(std::string_view text, std::string_view phrase) {
  const bool word = phrase.starts_with("our");
  for (std::size_t at = 0; (at = text.find(phrase, at)) != std::string_view::npos; ++at)
    if (!word || at == 0 || text[at - 1] < 'a' || text[at - 1] > 'z') return true;
  return false;
}

bool small_word(const std::string& word) {
  static const std::unordered_set<std::string_view> kSmall = {
      "a",    "an",    "the",        "of",    "for",     "in",       "on",
      "and",  "with",  "to",         "by",    "from",    "via",      "is",
      "are",  "using", "model",      "card",  "pytorch", "official", "implementation",
      "code", "paper", "tensorflow", "readme"};
  return kSmall.contains(word);
}

std::vector<std::string> telling(std::string_view text) {
  std::vector<std::string> words = words_of(text.substr(0, 512));
  std::erase_if(words, small_word);
  return words;
}

// "WizardCoder" and "wizardcoder2": a name with or without the number of its edition.
bool same_name(const std::string& a, const std::string& b) {
  const auto bare = [](std::string_view word) {
    const std::size_t end = word.find_last_not_of("0123456789");
    return end == std::string_view::npos ? word : word.substr(0, end + 1);
  };
  return a == b || (bare(a) == bare(b) && bare(a).size() >= 4);
}

// One of a short heading's words.
bool has_a_word(std::string_view heading, const std::vector<std::string>& wanted) {
  const auto words = words_of(heading);
  return words.size() <= 8 && std::any_of(words.begin(), words.end(), [&](const std::string& word) {
           return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
         });
}

}  // namespace

bool claims(std::string_view before) {
  static const PhraseSet kClaims(
      "our paper|our new paper|our updated paper|our work|our arxiv|our technical report|"
      "our report|our preprint|our publication|our manuscript|our article|our recent|our latest|"
      "our method|our cvpr|our iccv|our eccv|our neurips|our iclr|our icml|our acl|our emnlp|"
      "our naacl|see our|read our|updated paper|accompanying paper|accompanies the|"
      "accompanied by a|accompanying code|implementation of|implementation for|"
      "implementations of|reimplementation|re-implementation|implementation\" of|official code|"
      "official repo|official pytorch|code for|codes for|codebase for|code base for|code of |"
      "code and models for|code and data for|models for the paper|source code for|source code "
      "of|repository for|"
      "repo for|repository of|code release|released code|code accompanying|code associated|"
      "companion to|companion code|supplementary code|code to reproduce|reproducing|"
      "reproduce the results|reproduction of|replication of|replicate|implements the|this paper:|"
      "this is the paper|code from the paper|results from the paper|paper introducing|"
      "project page of|homepage of|paper is available|paper available|paper can be found|"
      "paper is on|paper on arxiv|technical report:|paper title|published "
      "as|我们的论文|论文的官方实现|的官方实现|"
      "的实现|论文实现|官方代码|論文の実装|の実装|公式実装|구현|논문의|имплементация|реализация|"
      "реализации|implementación|"
      "implementação|implémentation|implementierung|реализующ|our icassp|our interspeech|our kdd|"
      "our aaai|our ijcai|our siggraph|our nature");
  if (kClaims.in(before)) return true;
  // "our [diffusion models](…)": the link itself is the noun.
  while (before.ends_with(' ')) before.remove_suffix(1);
  return before.ends_with("our") &&
         says(before.substr(before.size() - std::min<std::size_t>(before.size(), 4)), "our");
}

bool voids(std::string_view before) {
  static const PhraseSet kVoids(
      "based on|builds on|build on|built on|building on|compare|comparison|unlike|borrow|thank|"
      "inspired by|not the official|not an official|not our |not affiliated|adapted from|modified "
      "from|similar to|following the|as opposed to|instead of");
  static const PhraseSet kOfThePaper(
      "based on the paper|based on our|based on this paper|based on the following");
  return kVoids.in(before) && !kOfThePaper.in(before);
}

bool introduces(std::string_view before) {
  static const PhraseSet kIntroduces(
      "proposed in|introduced in|presented in|described in|explained in|detailed in|proposed by|"
      "published in|based on the paper|from the paper|the paper|this paper|the article|"
      "the publication|the preprint|this work|paper:|the original paper|this repository contains|"
      "this repo contains|is based on the|"
      "implements|"
      "submitted on|介绍|论文|論文|논문|статье");
  return kIntroduces.in(before);
}

bool asks_to_cite(std::string_view text) {
  static const PhraseSet kAsks(
      "please cite|please also cite|please consider citing|consider citing|should cite|must cite|"
      "kindly cite|to cite|cite the|cite our|cite this|cite it|cite us|cite as|cite at least|"
      "cite these|cite both|cite following|cited as|please reference|please refer to the paper|"
      "refer to the papers|refer to the following|citing|feel free to cite|can cite|"
      "please acknowledge|cite [|cite `|cite using|use the following bibtex|following citation|"
      "bibtex entry|bibtex for|following bibtex|the bibtex|also cite|appropriate "
      "citation|引用|인용|"
      "cita |citar|bitte zitieren|цитир|цитата");
  return kAsks.in(text);
}

bool may_ask_to_cite(std::string_view text) {
  static const PhraseSet kRoots(
      "cite|citing|citation|bibtex|reference |refer to the|acknowledge|引用|인용");
  return kRoots.in_any_case(text);
}

bool asks_for_several(std::string_view text) {
  static const PhraseSet kSeveral(
      "papers|articles|publications|works:|following works|all of|both|these references|"
      "following references|also cite|and cite");
  return kSeveral.in(text);
}

bool is_citation_heading(std::string_view heading) {
  static const std::vector<std::string> kWords = {
      "citation",      "citations",   "citing",       "cite", "bibtex", "attribution",
      "acknowledging", "publication", "publications", "引用", "引文",   "인용"};
  return has_a_word(heading, kWords);
}

bool is_reference_heading(std::string_view heading) {
  static const std::vector<std::string> kWords = {"reference", "paper", "参考文献"};
  return has_a_word(heading, kWords);
}

bool is_others_heading(std::string_view heading) {
  static const PhraseSet kOthers(
      "related|acknowledg|references|see also|other projects|other multimodal|projects from|"
      "thanks|further reading|resources|inspired|more projects|similar|awesome|reading list|"
      "bibliography|our other|other work|other repo|used by|who uses|projects using|papers using|"
      "baselines|致谢|相关");
  if (heading == "credits" || heading == "credit") return true;
  if (heading.find("acknowledging") != std::string_view::npos) return false;
  return kOthers.in(heading) || (heading.find("other ") != std::string_view::npos &&
                                 heading.find("projects") != std::string_view::npos);
}

bool is_paper_label(std::string_view label) {
  const auto words = words_of(label);
  if (words.empty() || words.size() > 6) return false;
  static const std::vector<std::string> kLabels = {
      "arxiv",   "paper",       "papers", "pdf",    "preprint", "report", "manuscript",
      "article", "publication", "abs",    "arxivs", "论文",     "論文",   "논문"};
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(kLabels.begin(), kLabels.end(), word) != kLabels.end();
  });
}

bool names_title(std::string_view name, std::string_view title) {
  const auto of_name = telling(name), of_title = telling(title);
  if (of_name.empty() || of_title.empty()) return false;
  std::size_t shared = 0;
  for (const std::string& word : of_name)
    shared += std::any_of(of_title.begin(), of_title.end(),
                          [&](const std::string& other) { return same_name(word, other); })
                  ? 1
                  : 0;
  if (shared >= 2 && shared * 2 >= std::min(of_name.size(), of_title.size())) return true;
  // "SimCSE: …" and "simcse": the name before the colon, or the whole of a short title.
  return same_name(of_name[0], of_title[0]) && of_name[0].size() >= 3;
}

}  // namespace tanggul::readers
