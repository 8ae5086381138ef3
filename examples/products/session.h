#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "answer.h"

// One connection, until it is closed.
boost::asio::awaitable<void> serve(boost::asio::ip::tcp::socket socket, Products& products);
