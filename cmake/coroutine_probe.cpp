// Counts live objects through the co_await forms that g++ 12 gets wrong. Exit status 0 means that
// every object was destroyed exactly once and read while alive.
#include <coroutine>
#include <cstdio>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace {

std::set<const void*> alive;
int faults = 0;

struct Tracked {
  Tracked() { alive.insert(this); }
  Tracked(const Tracked&) { alive.insert(this); }
  Tracked(Tracked&&) noexcept { alive.insert(this); }
  Tracked& operator=(const Tracked&) = default;
  Tracked& operator=(Tracked&&) = default;
  ~Tracked() { faults += alive.erase(this) == 1 ? 0 : 1; }
  void read() const { faults += alive.contains(this) ? 0 : 1; }
};

struct Aggregate {
  Tracked first;
  Tracked second;
};

template <class T>
struct Task {
  struct promise_type {
    std::optional<T> value;
    std::coroutine_handle<> waiting;
    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().waiting ? h.promise().waiting : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_value(T v) { value = std::move(v); }
    void unhandled_exception() { std::terminate(); }
  };
  explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
  Task(Task&& o) noexcept : handle(std::exchange(o.handle, nullptr)) {}
  ~Task() {
    if (handle) handle.destroy();
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> w) {
    handle.promise().waiting = w;
    return handle;
  }
  T await_resume() { return std::move(*handle.promise().value); }
  std::coroutine_handle<promise_type> handle;
};

Task<int> take(Aggregate a) {
  a.first.read();
  a.second.read();
  co_return 1;
}
Task<int> take_default(Aggregate a = {}) {
  a.first.read();
  co_return 1;
}
template <class F>
Task<int> call(F f) {
  f();
  co_return 1;
}
Task<Tracked> make() { co_return Tracked(); }

Task<int> all_forms() {
  Tracked captured;
  int n = 0;
  n += co_await take(Aggregate{});
  n += co_await take({Tracked(), Tracked()});
  n += co_await take_default();
  n += co_await call([captured] { captured.read(); });
  Tracked chosen = n > 0 ? co_await make() : Tracked();
  chosen.read();
  Aggregate built{co_await make(), co_await make()};
  built.second.read();
  co_return n;
}

}  // namespace

int main() {
  {
    Task<int> root = all_forms();
    root.handle.resume();
    if (!root.handle.done() || *root.handle.promise().value != 4) ++faults;
  }
  if (!alive.empty()) ++faults;
  if (faults != 0)
    std::printf("coroutine probe: %d faults, %zu objects leaked\n", faults, alive.size());
  return faults == 0 ? 0 : 1;
}
