#include "adapters/redis/codec.h"

#include <hiredis/hiredis.h>

#include <new>
#include <vector>

namespace tanggul::redis {

Reply& Reply::at(std::size_t i) {
  thread_local Reply nothing;
  if (i < items.size()) return items[i];
  nothing = Reply();
  return nothing;
}

void Encoded::Free::operator()(char* bytes) const noexcept { redisFreeCommand(bytes); }

Encoded::Encoded(std::span<const std::string_view> args) {
  constexpr std::size_t kInline = 32;
  const char* few_pointers[kInline];
  std::size_t few_sizes[kInline];
  std::vector<const char*> many_pointers(args.size() > kInline ? args.size() : 0);
  std::vector<std::size_t> many_sizes(many_pointers.size());
  const char** pointers = many_pointers.empty() ? few_pointers : many_pointers.data();
  std::size_t* sizes = many_sizes.empty() ? few_sizes : many_sizes.data();
  for (std::size_t i = 0; i < args.size(); ++i) {
    pointers[i] = args[i].data() != nullptr ? args[i].data() : "";
    sizes[i] = args[i].size();
  }
  char* bytes = nullptr;
  const int size = redisFormatCommandArgv(&bytes, static_cast<int>(args.size()), pointers, sizes);
  if (size < 0) throw std::bad_alloc();
  bytes_.reset(bytes);
  size_ = static_cast<std::size_t>(size);
}

// The functions by which hiredis makes its replies, here of our own kind: each element is made in
// its place in its array.
struct ReplyReader::Making {
  std::size_t items = 0;  // of the reply in progress

  static Reply* place(const redisReadTask* task) {
    auto* making = static_cast<Making*>(task->privdata);
    if (task->parent != nullptr)
      return &static_cast<Reply*>(task->parent->obj)->items[static_cast<std::size_t>(task->idx)];
    making->items = 0;
    return new Reply();
  }
  static void* string(const redisReadTask* task, char* bytes, std::size_t size) {
    Reply* reply = place(task);
    reply->kind = task->type == REDIS_REPLY_ERROR    ? Reply::Kind::error
                  : task->type == REDIS_REPLY_STATUS ? Reply::Kind::status
                                                     : Reply::Kind::string;
    reply->text.assign(bytes, size);
    return reply;
  }
  static void* array(const redisReadTask* task, int size) {
    auto* making = static_cast<Making*>(task->privdata);
    const std::size_t before = task->parent != nullptr ? making->items : 0;
    const auto count = static_cast<std::size_t>(size);
    if (size < 0 || before + count > kMostItems) return nullptr;  // ends the stream
    Reply* reply = place(task);
    making->items = before + count;
    reply->kind = Reply::Kind::array;
    reply->items.resize(count);
    return reply;
  }
  static void* integer(const redisReadTask* task, long long value) {
    Reply* reply = place(task);
    reply->kind = Reply::Kind::integer;
    reply->number = value;
    return reply;
  }
  static void* nil(const redisReadTask* task) { return place(task); }
  static void free(void* root) { delete static_cast<Reply*>(root); }

  static redisReplyObjectFunctions& functions() {
    static redisReplyObjectFunctions all{.createString = string,
                                         .createArray = array,
                                         .createInteger = integer,
                                         .createNil = nil,
                                         .freeObject = free};
    return all;
  }
};

ReplyReader::ReplyReader()
    : making_(std::make_unique<Making>()),
      reader_(redisReaderCreateWithFunctions(&Making::functions())) {
  if (reader_ == nullptr) throw std::bad_alloc();
  reader_->privdata = making_.get();  // the macro for it casts a pointer to int
}

ReplyReader::~ReplyReader() { redisReaderFree(reader_); }

void ReplyReader::feed(std::string_view bytes) {
  if (broken_ || bytes.empty()) return;
  unread_ += bytes.size();
  broken_ = redisReaderFeed(reader_, bytes.data(), bytes.size()) != REDIS_OK;
}

ReplyReader::Next ReplyReader::next(Reply& reply) {
  if (broken_) return Next::broken;
  void* made = nullptr;
  if (redisReaderGetReply(reader_, &made) != REDIS_OK) {
    broken_ = true;
    return Next::broken;
  }
  if (made == nullptr) {
    broken_ = unread_ > kLongest;
    return broken_ ? Next::broken : Next::more;
  }
  const std::unique_ptr<Reply> owned(static_cast<Reply*>(made));
  reply = std::move(*owned);
  unread_ = reader_->len - reader_->pos;
  return Next::reply;
}

}  // namespace tanggul::redis
