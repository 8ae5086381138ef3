#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace tanggul::async {

namespace asio = boost::asio;

// Everything runs on one io_context a thread; the concrete executor spares the erased one's cost.
using Executor = asio::io_context::executor_type;

// A coroutine. Named functions only, arguments by value, or by reference when the caller awaits it
// at once and owns what is referred to.
template <class T = void>
using Task = asio::awaitable<T, Executor>;

inline constexpr asio::use_awaitable_t<Executor> use_task;

}  // namespace tanggul::async

namespace tanggul {
using async::Task;
}
