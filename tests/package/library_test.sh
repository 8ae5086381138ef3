#!/usr/bin/env bash
# library_test.sh BUILD SOURCE: installs the library into a prefix of its own and uses it as a stranger would:
# its examples through find_package with clang 19 and with g++, the worker through pkg-config, each
# public header and each piece of docs/library.md by itself.
set -euo pipefail
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $1"
  exit 1
}
did() { printf '%4d s  %s\n' "$SECONDS" "$1"; }
quietly() {
  "$@" >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
}

# --- installed, and moved: nothing in it may know where it was
quietly cmake --install "$build" --component dev --prefix "$work/first"
mv "$work/first" "$work/prefix"
prefix=$work/prefix
examples=$prefix/share/doc/tanggul/examples
[[ ! -e $prefix/bin && ! -e $prefix/etc ]] || fail "the library brings more than itself"
leaks=$(grep -rnE "$source|$work/first|-W[a-z]|-fsanitize" "$prefix/lib/cmake" "$prefix/lib/pkgconfig" || true)
[[ -z $leaks ]] || fail "what is ours alone got into the package: $leaks"
did "installed"

# project COMPILER SOURCE BUILD: configures and builds it against the prefix.
configure() {
  local compiler=$1 from=$2 to=$3
  shift 3
  cmake -S "$from" -B "$to" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_BUILD_TYPE=Release "$@"
}
project() { quietly configure "$@" && quietly cmake --build "$3" -- -j2; }
runs_the_worker() { quietly "$1" || fail "$1 ended with an error"; }

# --- every compiler: policies and the blocking single-flight
for compiler in clang++-19 g++; do
  command -v "$compiler" >/dev/null || { echo "no $compiler here"; continue; }
  project "$compiler" "$examples/worker" "$work/worker-$compiler" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" ||
    fail "the worker cannot be built with $compiler"
  runs_the_worker "$work/worker-$compiler/worker"
  did "built and ran the worker with $compiler"
done

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
read -r -a flags < <(pkg-config --cflags --libs tanggul)
compiler=$(command -v g++ || command -v clang++-19)
quietly "$compiler" -std=c++20 -o "$work/worker" "$examples"/worker/*.cpp "${flags[@]}" ||
  fail "the worker cannot be built by pkg-config's flags"
runs_the_worker "$work/worker"
did "built and ran the worker by pkg-config's flags"

# --- each header stands by itself
coroutine_header() { grep -qE 'boost/asio|flight/(alarm|awaitable)\.h|shield/' "$1"; }
alone() {  # COMPILER, headers on standard input
  (cd "$prefix/include" && xargs -r -P 2 -I{} "$1" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I. \
    -include {} -x c++ /dev/null) >"$work/log" 2>&1 ||
    { cat "$work/log"; fail "a header does not compile by itself with $1"; }
}
headers() { (cd "$prefix/include" && find tanggul -name '*.h' | sort); }
headers | alone clang++-19
if command -v g++ >/dev/null; then
  headers | while read -r header; do
    coroutine_header "$prefix/include/$header" || echo "$header"
  done | alone g++
fi
did "compiled each header by itself"

# --- so does each piece of C++ in its page
awk -v folder="$work" '/^```cpp$/ { file = folder "/snippet-" ++n ".cpp"; next } /^```$/ { file = "" }
  file { print > file }' "$prefix/share/doc/tanggul/library.md"
for snippet in "$work"/snippet-*.cpp; do
  quietly clang++-19 -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I"$prefix/include" "$snippet" ||
    fail "a piece of docs/library.md does not compile"
done
did "compiled the pieces of docs/library.md"

# --- versions and components are checked
asks() {
  mkdir -p "$work/asks"
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(asks LANGUAGES CXX)' "$2" \
    >"$work/asks/CMakeLists.txt"
  rm -rf "$work/asked"
  configure "$1" "$work/asks" "$work/asked" >"$work/log" 2>&1
}
version=$(sed -n 's/^Version: //p' "$prefix/lib/pkgconfig/tanggul.pc")
asks clang++-19 "find_package(tanggul $version CONFIG REQUIRED COMPONENTS policy flight shield)" ||
  { cat "$work/log"; fail "clang++-19 is refused"; }
asks clang++-19 "find_package(tanggul CONFIG REQUIRED)" || { cat "$work/log"; fail "no components asked for"; }
! asks clang++-19 "find_package(tanggul 99.0 CONFIG REQUIRED)" || fail "version 99 was found"
! asks clang++-19 "find_package(tanggul CONFIG REQUIRED COMPONENTS levee)" || fail "component levee was found"
if command -v g++ >/dev/null && g++ -dumpversion | grep -qx '12.*'; then
  ! asks g++ "find_package(tanggul CONFIG REQUIRED COMPONENTS shield)" || fail "g++ 12 got the coroutines"
  tr -s '\n ' '  ' <"$work/log" | grep -q 'miscompiles C++20 coroutines' || { cat "$work/log"; fail "g++ 12 is not told why"; }
  asks g++ 'find_package(tanggul CONFIG REQUIRED)
    if(TARGET tanggul::shield OR NOT TARGET tanggul::flight)
      message(FATAL_ERROR "wrong targets")
    endif()' || { cat "$work/log"; fail "g++ 12 is refused the policies"; }
fi
did "asked for versions and components"
