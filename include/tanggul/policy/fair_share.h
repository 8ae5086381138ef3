#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace tanggul::policy {

// Who may wait in a bounded room: one client holds at most half of it while another client waits. A
// client that had the room to itself may have taken more; then it gives way to a newcomer. Only
// counts: the room itself is its owner's. Not thread-safe.
class FairShare {
 public:
  enum class Entry {
    welcome,
    displaces,  // the room is full; somebody for whom over_half() is true has to go first
    refused,
  };

  explicit FairShare(std::size_t capacity) : capacity_(capacity) {}

  Entry ask(const std::string& client) const;
  void enter(const std::string& client);
  void leave(const std::string& client);  // each enter() is left once
  bool over_half(const std::string& client) const { return held(client) > capacity_ / 2; }

  void set_capacity(std::size_t capacity);
  std::size_t size() const { return size_; }

 private:
  std::size_t held(const std::string& client) const;

  std::size_t capacity_;
  std::size_t size_ = 0;
  std::size_t greedy_ = 0;  // clients over their half: a full room is asked by thousands
  std::map<std::string, std::size_t> clients_;  // those that wait, and how often
};

}  // namespace tanggul::policy
