# g++ 12 frees the operands of ordinary co_await statements twice. A compiler is judged here by
# what it does to a handful of those forms, not by its name.
if(NOT DEFINED TANGGUL_COROUTINES_WORK)
  try_run(probe_status probe_compiled
    ${CMAKE_BINARY_DIR}/probe ${CMAKE_CURRENT_LIST_DIR}/coroutine_probe.cpp
    CMAKE_FLAGS -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_STANDARD_REQUIRED=ON
    RUN_OUTPUT_VARIABLE probe_output COMPILE_OUTPUT_VARIABLE probe_log)
  if(probe_compiled AND probe_status EQUAL 0)
    set(TANGGUL_COROUTINES_WORK TRUE CACHE INTERNAL "the coroutine probe passed")
  else()
    message(FATAL_ERROR
      "This compiler (${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}) miscompiles C++20 "
      "coroutines: temporaries in a co_await statement are destroyed twice or read after they were "
      "freed (g++ 12 does; clang 19 does not). Configure with clang++-19, for example through "
      "`cmake --preset release` or `./dev build`.\n"
      "probe: status '${probe_status}'\n${probe_output}${probe_log}")
  endif()
endif()
