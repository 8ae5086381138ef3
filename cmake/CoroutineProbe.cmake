# g++ 12 frees the operands of ordinary co_await statements twice. A compiler is judged here by
# what it does to a handful of those forms, not by its name. Installed too: the package asks the
# compiler of whoever uses it.

# tanggul_probe_coroutines(WHY): sets TANGGUL_COROUTINES_WORK, in the cache too, and in WHY what is
# wrong where it is false. Whoever compiles for a machine that cannot run the probe here says
# -DTANGGUL_COROUTINES_WORK=ON.
function(tanggul_probe_coroutines WHY)
  if(TANGGUL_COROUTINES_WORK)
    return()
  endif()
  try_run(probe_status probe_compiled
    ${CMAKE_BINARY_DIR}/probe ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/coroutine_probe.cpp
    CMAKE_FLAGS -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_STANDARD_REQUIRED=ON
    RUN_OUTPUT_VARIABLE probe_output COMPILE_OUTPUT_VARIABLE probe_log)
  if(probe_compiled AND probe_status EQUAL 0)
    set(TANGGUL_COROUTINES_WORK TRUE CACHE INTERNAL "the coroutine probe passed")
    return()
  endif()
  unset(probe_status CACHE)    # so that another compiler is asked anew
  unset(probe_compiled CACHE)
  set(TANGGUL_COROUTINES_WORK FALSE PARENT_SCOPE)
  string(CONCAT reason
    "This compiler (${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}) miscompiles C++20 "
    "coroutines: temporaries in a co_await statement are destroyed twice or read after they were "
    "freed (g++ 12 does; clang 19 does not).")
  set(${WHY} "${reason}" PARENT_SCOPE)
  set(${WHY}_log "probe: status '${probe_status}'\n${probe_output}${probe_log}" PARENT_SCOPE)
endfunction()
