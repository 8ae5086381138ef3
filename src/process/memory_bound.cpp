#include "process/memory_bound.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "process/tree.h"
#include "tanggul/base/clock.h"

namespace tanggul::process {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

// The kernel takes such a file's new value in one write or refuses it.
bool put(const std::string& path, std::string_view value) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = ::write(file, value.data(), value.size()) == std::ssize(value);
  ::close(file);
  return done;
}

std::uint64_t number(std::string_view text) {
  std::uint64_t out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// The number after a word at the beginning of a line: "oom_kill 3".
std::uint64_t number_after(const std::string& text, const std::string& word) {
  std::istringstream in(text);
  for (std::string key, value; in >> key >> value;)
    if (key == word) return number(value);
  return 0;
}

std::vector<std::string> split(std::string_view text, char mark) {
  std::vector<std::string> out;
  for (;;) {
    const std::size_t at = text.find(mark);
    out.emplace_back(text.substr(0, at));
    if (at == text.npos) return out;
    text.remove_prefix(at + 1);
  }
}

// The folder of the group that this process is in; nullopt: there is none of that kind here.
// proc(5): /proc/PID/mountinfo and cgroups(7): /proc/PID/cgroup.
std::optional<std::string> own_group(const CgroupPaths& paths, bool v2) {
  std::string root, mount;
  std::istringstream mounts(text_of(paths.mounts));
  for (std::string line; std::getline(mounts, line);) {
    const std::vector<std::string> halves = split(line, ' ');
    const auto dash = std::find(halves.begin(), halves.end(), "-");
    if (halves.size() < 6 || halves.end() - dash < 4) continue;
    const std::vector<std::string> options = split(dash[3], ',');
    const bool memory = std::find(options.begin(), options.end(), "memory") != options.end();
    if (v2 ? dash[1] != "cgroup2" : dash[1] != "cgroup" || !memory) continue;
    root = halves[3] == "/" ? "" : halves[3];
    mount = halves[4];
  }
  if (mount.empty()) return std::nullopt;
  std::istringstream groups(text_of(paths.own));
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::vector<std::string> controllers =
        split(std::string_view(line).substr(first + 1, second - first - 1), ',');
    const bool right =
        v2 ? line.starts_with("0::")
           : std::find(controllers.begin(), controllers.end(), "memory") != controllers.end();
    if (!right) continue;
    std::string path = line.substr(second + 1);
    // Seen from within a container the mount's root may be the group itself.
    if (!root.empty() && path.starts_with(root)) path.erase(0, root.size());
    if (path == "/") path.clear();
    return mount + path;
  }
  return std::nullopt;
}

constexpr std::string_view kOurs = "tanggul-";

void remove_group(const std::string& folder) { ::rmdir(folder.c_str()); }

// Groups of processes that are no more: "tanggul-PID-NAME".
void remove_left_behind(const std::string& parent) {
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(parent, ec)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kOurs)) continue;
    const auto pid = static_cast<pid_t>(number(std::string_view(name).substr(kOurs.size())));
    if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH) remove_group(entry.path());
  }
}

class Group final : public MemoryBound {
 public:
  // Null: it cannot be made.
  static std::unique_ptr<Group> make(const std::string& parent, bool v2, ByteCount limit,
                                     const std::string& name) {
    const std::string folder = fmt::format("{}/{}{}-{}", parent, kOurs, ::getpid(), name);
    std::unique_ptr<Group> group(new Group(folder, v2, limit));
    return group->made() ? std::move(group) : nullptr;
  }
  ~Group() override { remove_group(folder_); }

  MemoryMechanism mechanism() const noexcept override {
    return v2_ ? MemoryMechanism::cgroup_v2 : MemoryMechanism::cgroup_v1;
  }
  std::string join() const override { return folder_ + "/cgroup.procs"; }
  void reset() override {
    made();                 // who takes us for a process that is no more has removed it
    put(peak_file(), "0");  // v2 cannot always: then it is the most since the group was made
    kills_ = kills();
  }
  bool exceeded(pid_t) override { return kills() > kills_; }
  ByteCount peak() const override { return number(text_of(peak_file())); }
  // Who has joined stays, whatever else it leaves; what is killed here can start nobody.
  void end_all(pid_t) override {
    for (const MonoTime until = MonoClock::now() + 2s; MonoClock::now() < until;) {
      std::istringstream members(text_of(join()));
      bool any = false;
      for (pid_t member = 0; members >> member; any = true) ::kill(member, SIGKILL);
      if (!any) return;
      std::this_thread::sleep_for(1ms);
    }
  }

 private:
  Group(std::string folder, bool v2, ByteCount limit)
      : folder_(std::move(folder)), v2_(v2), limit_(limit) {}

  bool made() const {
    if (::mkdir(folder_.c_str(), 0755) != 0) return errno == EEXIST && bound();
    return bound();
  }
  bool bound() const {
    const std::string bytes = std::to_string(limit_);
    // Swap would only be slower memory. Where it is not counted there is nothing to bound.
    if (v2_) {
      put(folder_ + "/memory.swap.max", "0");
      put(folder_ + "/memory.oom.group", "1");
      return put(folder_ + "/memory.max", bytes);
    }
    const bool done = put(folder_ + "/memory.limit_in_bytes", bytes);
    put(folder_ + "/memory.memsw.limit_in_bytes", bytes);
    return done;
  }
  std::string peak_file() const {
    return folder_ + (v2_ ? "/memory.peak" : "/memory.max_usage_in_bytes");
  }
  std::uint64_t kills() const {
    return number_after(text_of(folder_ + (v2_ ? "/memory.events" : "/memory.oom_control")),
                        "oom_kill");
  }

  const std::string folder_;
  const bool v2_;
  const ByteCount limit_;
  std::uint64_t kills_ = 0;
};

class Polled final : public MemoryBound {
 public:
  explicit Polled(ByteCount limit) : limit_(limit) {}
  MemoryMechanism mechanism() const noexcept override { return MemoryMechanism::polling; }
  std::string join() const override { return {}; }
  void reset() override { peak_ = 0; }
  bool exceeded(pid_t leader) override {
    peak_ = std::max(peak_, resident_of_tree(leader));
    return peak_ > limit_;
  }
  ByteCount peak() const override { return peak_; }
  void end_all(pid_t leader) override { end_tree(leader); }

 private:
  const ByteCount limit_;
  ByteCount peak_ = 0;
};

// Its children can be bounded only if it has no processes itself (cgroups(7), "no internal
// processes"): this one, where it is the only one, goes into a group beside them.
bool delegates(const std::string& own) {
  if (text_of(own + "/cgroup.controllers").find("memory") == std::string::npos) return false;
  if (put(own + "/cgroup.subtree_control", "+memory")) return true;
  const std::string beside = own + "/" + std::string(kOurs) + "supervisor";
  if (::mkdir(beside.c_str(), 0755) != 0 && errno != EEXIST) return false;
  if (!put(beside + "/cgroup.procs", "0")) return false;
  if (put(own + "/cgroup.subtree_control", "+memory")) return true;
  put(own + "/cgroup.procs", "0");  // others are there too: back, as if nothing had been tried
  ::rmdir(beside.c_str());
  return false;
}

// The group that ours are made in: the one that this process was in before it was moved beside
// them.
std::optional<std::string> parent_of_v2(const CgroupPaths& paths) {
  auto own = own_group(paths, true);
  if (!own) return std::nullopt;
  const std::string moved = "/" + std::string(kOurs) + "supervisor";
  if (own->ends_with(moved)) own->resize(own->size() - moved.size());
  return delegates(*own) ? own : std::nullopt;
}

}  // namespace

std::string_view name(MemoryMechanism mechanism) noexcept {
  switch (mechanism) {
    case MemoryMechanism::cgroup_v2:
      return "cgroup_v2";
    case MemoryMechanism::cgroup_v1:
      return "cgroup_v1";
    case MemoryMechanism::polling:
      return "polling";
  }
  return "unknown";
}

std::unique_ptr<MemoryBound> MemoryBound::make(ByteCount limit, const std::string& name,
                                               const CgroupPaths& paths) {
  for (const bool v2 : {true, false}) {
    const std::optional<std::string> parent = v2 ? parent_of_v2(paths) : own_group(paths, false);
    if (!parent) continue;
    remove_left_behind(*parent);
    if (auto group = Group::make(*parent, v2, limit, name)) return group;
  }
  return make_polling(limit);
}

std::unique_ptr<MemoryBound> MemoryBound::make_polling(ByteCount limit) {
  return std::make_unique<Polled>(limit);
}

}  // namespace tanggul::process
