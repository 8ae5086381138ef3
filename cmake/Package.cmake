# What is installed, and the Debian package made of it: `./dev package`.
include(GNUInstallDirs)

install(TARGETS tanggul RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES README.md ARCHITECTURE.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY deploy/prometheus DESTINATION ${CMAKE_INSTALL_DATADIR}/tanggul OPTIONAL)
# The prefix is known only then: `cmake --install --prefix`, and the package's /usr.
install(CODE "set(TANGGUL_SOURCE \"${CMAKE_SOURCE_DIR}\")\nset(TANGGUL_BINDIR \"${CMAKE_INSTALL_BINDIR}\")")
install(SCRIPT cmake/install_service.cmake)

find_program(GZIP gzip)
if(GZIP)
  execute_process(COMMAND ${GZIP} -9nc ${CMAKE_SOURCE_DIR}/deploy/debian/changelog
    OUTPUT_FILE ${CMAKE_BINARY_DIR}/changelog.gz)
  install(FILES deploy/debian/copyright ${CMAKE_BINARY_DIR}/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tanggul)
set(CPACK_PACKAGE_CONTACT "Tanggul <tanggul@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "pull-through cache and origin shield")
set(CPACK_PACKAGE_DESCRIPTION
"Stands between a fleet of workers and the package registries and artifact
stores that it depends on: what a thousand clients ask for at once is fetched
once and streamed to all, what is held is served while the origin fails, and
nothing but a probe reaches an origin that is down.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "adduser, init-system-helpers (>= 1.52)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates, git")  # the fleet clones
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
foreach(file conffiles postinst prerm postrm)
  list(APPEND CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/deploy/debian/${file})
endforeach()
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
