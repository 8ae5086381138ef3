#include "scenario/fleet.h"

#include <signal.h>

namespace tanggul::test {

using namespace std::chrono_literals;

std::string readme_of(int number) {
  const std::string digits = std::to_string(10'000 + number);
  return "# Thing " + digits + "\n\nThe code of [our paper](https://arxiv.org/abs/2301." + digits +
         ").\n\n| model | accuracy |\n|-|-|\n| a | " + std::to_string(50 + number) + ".5 |\n";
}

void Fleet::configure(const std::string& sync, const std::string& top) {
  dir_.write("tanggul.yaml", "data_dir: " + data() + "\n" + top +
                                 "sync:\n  listen: 127.0.0.1:0\n"
                                 "  internal_hosts: [127.0.0.1]\n" +
                                 sync);
}

CommandResult Fleet::run(std::vector<std::string> args) const {
  args.insert(args.begin(), tanggul_binary());
  args.insert(args.end(), {"--config", dir_.file("tanggul.yaml")});
  return run_command({.args = std::move(args)}, 120s);
}

void Fleet::enqueue(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += git_.url(name) + "\n";
  const CommandResult done = run({"sync", "enqueue", "--file", dir_.write("list", list)});
  ASSERT_EQ(done.status, 0) << done.err;
}

std::unique_ptr<Process> Fleet::start_worker(std::vector<std::string> args,
                                             std::map<std::string, std::string> env) const {
  args.insert(args.begin(),
              {tanggul_binary(), "sync", "work", "--config", dir_.file("tanggul.yaml")});
  return std::make_unique<Process>(ProcessSpec{.args = std::move(args), .env = std::move(env)});
}

std::string Fleet::work_once(std::vector<std::string> args,
                             std::map<std::string, std::string> env) const {
  args.emplace_back("--once");
  const auto worker = start_worker(std::move(args), std::move(env));
  EXPECT_EQ(worker->wait(150s), 0) << worker->err();
  return worker->err();
}

std::uint16_t Fleet::port_of(Process& worker) {
  constexpr std::string_view kBefore = "metrics on port ";
  EXPECT_TRUE(worker.wait_for_output(kBefore, 30s)) << worker.err();
  const std::string said = worker.err();
  return static_cast<std::uint16_t>(std::stoi(said.substr(said.find(kBefore) + kBefore.size())));
}

double Fleet::metric(std::uint16_t port, const std::string& series) {
  const std::string page = "\n" + get(port, "/metrics").body;
  const std::size_t at = page.find("\n" + series + " ");
  if (at == page.npos) return std::numeric_limits<double>::quiet_NaN();
  return std::stod(page.substr(at + series.size() + 2));
}

namespace {

std::string sqlite(const std::string& file, const std::string& query) {
  const CommandResult done = run_command({.args = {"sqlite3", "-readonly", file, query}});
  EXPECT_EQ(done.status, 0) << done.err;
  return done.out.substr(0, done.out.find_last_not_of('\n') + 1);
}

}  // namespace

std::string Fleet::sql(const std::string& query) const {
  return sqlite(data() + "/sync/catalog.db", query);
}

std::string Fleet::queue_sql(const std::string& query) const {
  return sqlite(data() + "/sync/queue.db", query);
}

std::string Fleet::contents() const {
  return sql(
      "SELECT url, commit_id, release, paper, version, own, score, mentions, reasons, evidence "
      "FROM "
      "current_links ORDER BY url, place;"
      "SELECT url, commit_id, release, file, line, headings, column_names, cells FROM "
      "current_result_tables ORDER BY url, place;"
      "SELECT url, subject, dataset, metric, value FROM current_results ORDER BY url, place;"
      "SELECT url, model, task, dataset, metric, value, file FROM current_model_rows ORDER BY url, "
      "place;"
      "SELECT url, file, model_type FROM current_models ORDER BY url, place;"
      "SELECT r.url, a.url FROM aliases a JOIN repositories r ON r.id = a.repository ORDER BY 1, 2;"
      "SELECT r.url, t.reason, t.lifted_at IS NULL FROM tombstones t JOIN repositories r ON r.id = "
      "t.repository ORDER BY 1;"
      "SELECT r.url, count(*) FROM snapshots s JOIN repositories r ON r.id = s.repository GROUP BY "
      "1 "
      "ORDER BY 1;");
}

}  // namespace tanggul::test
