# The public library: its headers, its package for CMake, its file for pkg-config. It is no part of
# the program's package: `cmake --install build/release --component dev --prefix DIR`.
include(CMakePackageConfigHelpers)

set(TANGGUL_LEAST_BOOST 1.81)
set(library_config ${CMAKE_INSTALL_LIBDIR}/cmake/tanggul)

# Built apart from the folders' own libraries, so that no flag, path or dependency of theirs gets
# out; independent of its position, for those who make a shared library with it. What the policies
# need of base and http is here by name: neither Boost nor anything else but the standard library.
set(policy_sources)
foreach(file bytes clock hyperloglog random)
  list(APPEND policy_sources src/base/${file}.cpp)
endforeach()
foreach(file cache_control date delta_seconds message retry_after target vary)
  list(APPEND policy_sources src/http/${file}.cpp)
endforeach()
get_target_property(own_policy_sources tanggul_policy SOURCES)
foreach(file IN LISTS own_policy_sources)
  list(APPEND policy_sources src/policy/${file})
endforeach()
add_library(tanggul_library_policy STATIC ${policy_sources})
set_target_properties(tanggul_library_policy PROPERTIES
  EXPORT_NAME policy OUTPUT_NAME tanggul_policy POSITION_INDEPENDENT_CODE ON)
target_compile_features(tanggul_library_policy PUBLIC cxx_std_20)
target_include_directories(tanggul_library_policy
  PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include
  INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

add_library(tanggul_library_flight INTERFACE)
set_target_properties(tanggul_library_flight PROPERTIES EXPORT_NAME flight)
target_compile_features(tanggul_library_flight INTERFACE cxx_std_20)
target_include_directories(tanggul_library_flight
  INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(tanggul_library_flight INTERFACE Threads::Threads)

add_library(tanggul_library_shield INTERFACE)
set_target_properties(tanggul_library_shield PROPERTIES EXPORT_NAME shield)
target_link_libraries(tanggul_library_shield
  INTERFACE tanggul_library_policy tanggul_library_flight Boost::headers)

foreach(component policy flight shield)
  install(TARGETS tanggul_library_${component} EXPORT tanggul-${component}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev EXCLUDE_FROM_ALL)
  install(EXPORT tanggul-${component} NAMESPACE tanggul:: DESTINATION ${library_config}
    COMPONENT dev EXCLUDE_FROM_ALL)
endforeach()
install(DIRECTORY include/tanggul DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT dev EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.h")

configure_file(cmake/version.h.in ${CMAKE_BINARY_DIR}/library/version.h @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/library/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tanggul COMPONENT dev EXCLUDE_FROM_ALL)

configure_package_config_file(cmake/tanggulConfig.cmake.in
  ${CMAKE_BINARY_DIR}/library/tanggulConfig.cmake INSTALL_DESTINATION ${library_config}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/library/tanggulConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/library/tanggulConfig.cmake
  ${CMAKE_BINARY_DIR}/library/tanggulConfigVersion.cmake
  cmake/CoroutineProbe.cmake cmake/coroutine_probe.cpp
  DESTINATION ${library_config} COMPONENT dev EXCLUDE_FROM_ALL)

set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH TANGGUL_PC_UP /prefix/${pkgconfig_folder} /prefix)
string(REGEX REPLACE "/$" "" TANGGUL_PC_UP ${TANGGUL_PC_UP})
configure_file(cmake/tanggul.pc.in ${CMAKE_BINARY_DIR}/library/tanggul.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/library/tanggul.pc
  DESTINATION ${pkgconfig_folder} COMPONENT dev EXCLUDE_FROM_ALL)

install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev EXCLUDE_FROM_ALL)
install(FILES docs/library.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev EXCLUDE_FROM_ALL)

# As a Debian package beside the program's: `cpack --config build/release/CPackLibrary.cmake`.
file(WRITE ${CMAKE_BINARY_DIR}/CPackLibrary.cmake "\
include(${CMAKE_BINARY_DIR}/CPackConfig.cmake)
set(CPACK_INSTALL_CMAKE_PROJECTS \"${CMAKE_BINARY_DIR};tanggul;dev;/\")
set(CPACK_PACKAGE_NAME libtanggul-dev)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY \"policies, single-flight and guarded read-through for C++20\")
set(CPACK_PACKAGE_DESCRIPTION \"What the shield tanggul is made of, for services of one's own.\")
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PACKAGE_DEPENDS libstdc++-12-dev)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libboost${TANGGUL_LEAST_BOOST}-dev)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA)
")
