#pragma once

#include <cstdio>
#include <cstdlib>

// Stops the fuzzer where a promise does not hold.
#define FUZZ_CHECK(promise)                                              \
  do {                                                                   \
    if (!(promise)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #promise); \
      std::abort();                                                      \
    }                                                                    \
  } while (false)
