#pragma once

#include <boost/system/result.hpp>
#include <string>

#include "base/result.h"

namespace tanggul {

// Why something outside could not do what it was asked, in words.
struct Failure {
  Errc code;           // for the program to decide by
  std::string detail;  // one sentence for people, printable UTF-8
};
// What result::value() does where there is none: for tests, and at start-up.
[[noreturn]] void throw_exception_from_error(const Failure& failure,
                                             const boost::source_location& where);

template <class T>
using Expected = boost::system::result<T, Failure>;

}  // namespace tanggul
