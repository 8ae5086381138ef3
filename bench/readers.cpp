// Reading what a repository says: real documents, one of 80 MB, and hostile ones.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

#include "adapters/folder/single_file.h"
#include "cpu.h"
#include "in_child.h"
#include "markdown_peers.h"
#include "measurements.h"
#include "support/corpus.h"
#include "support/fake_source_tree.h"
#include "support/hostile_documents.h"
#include "support/temp_dir.h"
#include "sync/read/read.h"

namespace tanggul::bench {
namespace {

constexpr int kLoops = 200;
constexpr double kLeastRate = 60;                                     // MB/s
constexpr double kMostSkip = 0.05, kMostLarge = 2;                    // s
constexpr double kMostHostile = 0.5, kMostRatio = 2.5, kTold = 0.05;  // s, of sizes 2 to 1, s
constexpr std::uint64_t kMostSkipGrown = 8_MiB, kMostLargeMemory = 200_MiB;

std::string met(bool holds) { return holds ? "yes" : "no"; }

struct Document {
  std::string name, bytes;
};

std::vector<Document> documents() {
  const auto corpus = test::corpus(TANGGUL_CORPUS_FOLDER);
  if (corpus.empty()) throw std::runtime_error("the corpus is not here (TANGGUL_CORPUS)");
  std::vector<Document> all;
  for (const char* folder : {"readmes", "cards"})
    for (const auto& entry : std::filesystem::directory_iterator(corpus / folder)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("TRUTH") || name.starts_with("SOURCES") || name == "truth.jsonl")
        continue;
      all.push_back({name, test::bytes_of(entry.path())});
    }
  return all;
}

sync::ReadOptions options_of(const char* pool, const std::optional<std::string>& one_file) {
  return {*sync::find_pool(sync::default_pools(), pool), {2026, 12}, one_file};
}

bool read(ports::SourceTree& tree, const char* pool,
          const std::optional<std::string>& one_file = {}) {
  return static_cast<bool>(sync::read_tree(tree, options_of(pool, one_file)));
}

double rate(const Options& options, std::size_t bytes, const std::function<bool()>& work) {
  std::vector<double> rates;
  for (int i = 0; i < options.runs(); ++i) {
    const auto cost = in_child([] {}, work);
    if (!cost) throw std::runtime_error("reading the corpus failed");
    rates.push_back(static_cast<double>(bytes) * kLoops / cost->cpu / 1e6);
  }
  return median(rates);
}

// A peer parses the Markdown among the documents, and finds nothing in it.
std::string peer_rate(const Options& options, const std::vector<Document>& all,
                      void (*parse)(std::string_view)) {
  std::size_t bytes = 0;
  for (const Document& document : all)
    if (document.name.ends_with(".md")) bytes += document.bytes.size();
  return printed("%.0f MB/s, of Markdown alone", rate(options, bytes, [&] {
                   for (int i = 0; i < kLoops; ++i)
                     for (const Document& document : all)
                       if (document.name.ends_with(".md")) parse(document.bytes);
                   return true;
                 }));
}

void put_throughput(const Options& options, Table& table) {
  const std::vector<Document> all = documents();
  std::size_t bytes = 0;
  std::vector<test::FakeSourceTree> trees(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    trees[i].files[all[i].name] = all[i].bytes;
    bytes += all[i].bytes.size();
  }
  const double ours = rate(options, bytes, [&] {
    for (int i = 0; i < kLoops; ++i)
      for (test::FakeSourceTree& tree : trees)
        if (!read(tree, "repo_clone", tree.files.begin()->first)) return false;
    return true;
  });
  table.rows.push_back(
      {fmt::format("{} real documents of {} KiB, {} times over, all that is in them read",
                   all.size(), bytes / 1024, kLoops),
       "≥ 60 MB/s on one core", printed("%.0f MB/s", ours),
       peer_rate(options, all, parse_with_cmark_gfm), peer_rate(options, all, parse_with_md4c),
       met(ours >= kLeastRate)});
}

// A README into which somebody has pasted base64 and logs.
std::string large_readme(const std::string& folder) {
  const std::string path = folder + "/README.md";
  std::ofstream out(path, std::ios::binary);
  std::mt19937 random(3);
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out << "# Large\n\nThe code of [our paper](https://arxiv.org/abs/1706.03762).\n\n";
  for (int i = 0; out.tellp() < 80'000'000; ++i) {
    out << "```\n";
    for (int line = 0; line < 800; ++line) {
      for (int c = 0; c < 76; ++c) out << kDigits[random() % 64];
      out << '\n';
    }
    out << "```\n";
    for (int line = 0; line < 800; ++line)
      out << fmt::format(
          "2024-01-{:02} 12:{:02}:{:02}.{:03} INFO worker-{} step {} loss=0.{:04} acc=91.{:04}\n",
          i % 28 + 1, line % 60, line % 60, line, line % 16, i, random() % 10000, random() % 10000);
  }
  return path;
}

Cost read_file(const Options& options, const std::string& path, const char* pool) {
  std::vector<Cost> costs;
  for (int i = 0; i < options.runs(); ++i) {
    const auto cost = in_child(settle_memory, [&] {
      auto file = folder::SingleFile::open(path);
      return file && read(**file, pool, path);
    });
    if (!cost) throw std::runtime_error("reading the large README failed");
    costs.push_back(*cost);
  }
  std::sort(costs.begin(), costs.end(),
            [](const Cost& a, const Cost& b) { return a.wall < b.wall; });
  return costs[costs.size() / 2];
}

void put_large(const Options& options, Table& table) {
  const test::TempDir folder;
  const std::string path = large_readme(folder.path());
  const Cost skip = read_file(options, path, "repo_clone");
  table.rows.push_back(
      {"a README of 80 MB, base64 and logs, in the regular pool: skipped within · memory grown by",
       "≤ 50 ms · ≤ 8 MiB",
       printed("%.2f ms", skip.wall * 1e3) + " · " +
           printed("%.1f MiB", static_cast<double>(skip.grown) / 1048576),
       "", "", met(skip.wall <= kMostSkip && skip.grown <= kMostSkipGrown)});
  const Cost large = read_file(options, path, "repo_clone_large");
  table.rows.push_back(
      {"the same in the large pool: its first 64 MiB read within · the process's memory at its "
       "highest",
       "≤ 2 s · ≤ 200 MiB",
       printed("%.2f s", large.wall) + " · " +
           printed("%.0f MiB", static_cast<double>(large.highest) / 1048576),
       "", "", met(large.wall <= kMostLarge && large.highest <= kMostLargeMemory)});
}

struct Worst {
  double cpu = 0, ratio = 0;    // s, of sizes 2 to 1
  double grown = 0, bytes = 0;  // of memory: times the input, bytes
  std::string slowest, steepest, largest;
};

Cost best_of(int times, const std::string& file, const test::HostileDocument& document,
             std::size_t bytes) {
  Cost best;
  for (int i = 0; i < times; ++i) {
    test::FakeSourceTree tree;
    const auto prepare = [&] {
      tree.files[file] = document.make(bytes);
      settle_memory();
    };
    const auto cost = in_child(prepare, [&] { return read(tree, "repo_clone"); });
    if (!cost)
      throw std::runtime_error(file + ": reading " + document.name.substr(0, 40) + " failed");
    if (i == 0 || cost->cpu < best.cpu) best = *cost;
  }
  return best;
}

std::string named(const std::string& file, const test::HostileDocument& document) {
  std::string name = printable(document.name.substr(0, 40));
  for (std::size_t at = 0; (at = name.find('|', at)) != std::string::npos; at += 2)
    name.insert(at, 1, '\\');  // the report is a table
  return file + " \"" + name + "\"";
}

void judge_memory(const std::string& what, const Cost& cost, std::size_t bytes, Worst& worst) {
  const double grown = static_cast<double>(cost.grown) / static_cast<double>(bytes);
  worst.bytes = std::max(worst.bytes, static_cast<double>(cost.grown));
  if (grown > worst.grown) worst.grown = grown, worst.largest = what;
}

// At 2 MiB and at 1 MiB.
void judge(const std::string& file, const test::HostileDocument& document, Worst& worst) {
  constexpr std::size_t kBytes = 2_MiB - 64;
  const std::string what = named(file, document);
  Cost whole = best_of(1, file, document, kBytes), half = best_of(1, file, document, kBytes / 2);
  if (whole.cpu > kTold) {
    whole = best_of(3, file, document, kBytes), half = best_of(3, file, document, kBytes / 2);
    const double ratio = whole.cpu > kTold ? whole.cpu / half.cpu : 0;
    if (ratio > worst.ratio) worst.ratio = ratio, worst.steepest = what;
  }
  if (whole.cpu > worst.cpu) worst.cpu = whole.cpu, worst.slowest = what;
  judge_memory(what + " of 2 MiB", whole, kBytes, worst);
  judge_memory(what + " of 1 MiB", half, kBytes / 2, worst);
}

void put_hostile(const Options&, Table& table) {
  Worst worst, yaml;
  const auto& documents = test::hostile_documents();
  std::size_t count = 0;
  for (const char* file :
       {"README.md", "README.rst", "README", "refs.bib", "config.json", "codemeta.json",
        "CITATION.cff", "model-index.yml", ".eval_results/x.yaml"})
    for (const auto& document : documents) judge(file, document, worst), ++count;
  for (const char* file : {"CITATION.cff", "model-index.yml", ".eval_results/x.yaml"})
    for (const auto& document : documents) {
      const Cost cost = best_of(1, file, document, 256_KiB - 64);
      const std::string what = named(file, document);
      judge_memory(what, cost, 256_KiB - 64, yaml);
      if (cost.cpu > yaml.cpu) yaml.cpu = cost.cpu, yaml.slowest = what;
    }
  table.rows.push_back({fmt::format("{} hostile documents of 2 MiB: most CPU", count), "≤ 0.5 s",
                        printed("%.2f s", worst.cpu) + ", " + worst.slowest, "", "",
                        met(worst.cpu <= kMostHostile)});
  table.rows.push_back({"of those over 50 ms, best of three: the time of twice the size, at most",
                        "≤ 2.5", printed("%.2f", worst.ratio) + ", " + worst.steepest, "", "",
                        met(worst.ratio <= kMostRatio)});
  table.rows.push_back({"of 1 MiB and of 2 MiB: most memory, of the input", "≤ 10 ×",
                        printed("%.1f ×", worst.grown) + ", " + worst.largest, "", "",
                        met(worst.grown <= 10)});
  table.rows.push_back(
      {"YAML is read up to 256 KiB; such documents of that size: most CPU · most memory",
       "≤ 0.5 s · ≤ 10 MiB",
       printed("%.2f s", yaml.cpu) + " · " + printed("%.1f MiB", yaml.bytes / 1048576) + ", " +
           yaml.largest,
       "", "", met(yaml.cpu <= kMostHostile && yaml.bytes <= 10 * 1048576)});
}

}  // namespace

Table readers_table() {
  return {.title = "Reading what a repository says",
          .note =
              "CPU and memory of a process that does this alone, on one core. cmark-gfm and md4c "
              "parse, and "
              "look for nothing.",
          .columns = {"measured", "must", "tanggul", "cmark-gfm", "md4c", "met"},
          .rows = {}};
}

void measure_readers(const Options& options, Table& table) {
  const OnServerCpu one_core;
  put_throughput(options, table);
  put_large(options, table);
  put_hostile(options, table);
}

}  // namespace tanggul::bench
