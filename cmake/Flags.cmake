add_library(tanggul_flags INTERFACE)
target_compile_options(tanggul_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wthread-safety
  -Wno-missing-field-initializers -fno-omit-frame-pointer)
target_include_directories(tanggul_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_compile_definitions(tanggul_flags INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED BOOST_BEAST_USE_STD_STRING_VIEW)

set(TANGGUL_SANITIZE "" CACHE STRING "address,undefined or thread")
if(TANGGUL_SANITIZE)
  add_compile_options(-fsanitize=${TANGGUL_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TANGGUL_SANITIZE})
  if(TANGGUL_SANITIZE MATCHES undefined)
    # clang emits cross-section differences for coroutines under this one check.
    add_compile_options(-fno-sanitize=function)
  endif()
endif()
if(TANGGUL_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

add_link_options(-fuse-ld=lld)

# ccache keeps a second build short; the precompiled header must then not carry its time of birth.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()
add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
