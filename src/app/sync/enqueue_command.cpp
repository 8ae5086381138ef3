#include "app/sync/enqueue_command.h"

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <ostream>

#include "app/sync/stores.h"
#include "base/bytes.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "sync/repository/address.h"

namespace tanggul::app {
namespace {

// Puts one address after the other into the queue, and counts.
class Enqueuing {
 public:
  Enqueuing(ports::Queue& queue, std::string pool, const Console& console)
      : queue_(queue), pool_(std::move(pool)), console_(console) {}

  // `place`: "LIST:12: " or nothing. False: the queue fails, and would fail again.
  bool add(std::string_view text, const std::string& place) {
    const auto address = sync::parse_address(text);
    if (!address) {
      ++refused_;
      console_.err << fmt::format("error: {}{}\n", place, printable(address.error().detail));
      return true;
    }
    ports::Job job;
    job.key = job.body = address->url;
    job.enqueued = wall_now();
    const auto done = queue_.enqueue(pool_, job, job.enqueued);
    if (!done) {
      console_.err << fmt::format("error: {}\n", printable(done.error().detail));
      failed_ = true;
      return false;
    }
    ++(*done == ports::Queue::Enqueued::added ? added_ : present_);
    return true;
  }

  int tell(bool json) const {
    if (json) {
      JsonWriter out;
      out.begin_object().key("added").number(added_).key("present").number(present_);
      out.key("refused").number(refused_).end_object();
      console_.out << out.text() << '\n';
    } else {
      console_.out << fmt::format("{} added, {} already waiting, {} refused\n", added_, present_,
                                  refused_);
    }
    return failed_ || refused_ > 0 ? kFailed : kDone;
  }

 private:
  ports::Queue& queue_;
  const std::string pool_;
  const Console& console_;
  std::uint64_t added_ = 0, present_ = 0, refused_ = 0;
  bool failed_ = false;
};

void add_lines(std::istream& in, const std::string& name, Enqueuing& enqueuing) {
  std::uint64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::string_view text = trim(line);
    if (text.empty() || text.starts_with('#')) continue;
    if (!enqueuing.add(text, fmt::format("{}:{}: ", name, number))) return;
  }
}

}  // namespace

int enqueue(const EnqueueQuery& query, const Config& config, const Console& console) {
  if (query.urls.empty() && query.file.empty()) {
    console.err << "error: enqueue what? Name URLs, or a file of them by --file\n";
    return kWrongUsage;
  }
  if (config.sync.find(query.pool) == nullptr) {
    console.err << fmt::format("error: --pool: there is no pool \"{}\"\n", printable(query.pool));
    return kWrongUsage;
  }
  std::ifstream file;
  if (!query.file.empty() && query.file != "-") {
    file.open(query.file);
    if (!file) {
      console.err << fmt::format("error: {} cannot be read\n", printable(query.file));
      return kWrongUsage;
    }
  }
  const auto queue = open_queue(config);
  if (!queue) {
    console.err << fmt::format("error: {}\n", printable(queue.error().detail));
    return kFailed;
  }
  Enqueuing enqueuing(**queue, query.pool, console);
  for (const std::string& url : query.urls)
    if (!enqueuing.add(url, "")) return enqueuing.tell(query.json);
  if (!query.file.empty())
    add_lines(query.file == "-" ? std::cin : file, printable(to_utf8(query.file)), enqueuing);
  if (file.bad()) {
    console.err << fmt::format("error: {} cannot be read to its end\n", printable(query.file));
    enqueuing.tell(query.json);
    return kFailed;
  }
  return enqueuing.tell(query.json);
}

}  // namespace tanggul::app
