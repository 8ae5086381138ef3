# The units, with the path that the program is installed to, and the configuration that they name. One
# that an administrator may have changed is left as it is.
set(prefix ${CMAKE_INSTALL_PREFIX})
if(prefix STREQUAL "/usr")
  set(sysconfdir /etc)
else()
  set(sysconfdir ${prefix}/etc)
endif()

foreach(name tanggul tanggul-sync)
  file(READ ${TANGGUL_SOURCE}/deploy/systemd/${name}.service unit)
  string(REPLACE "/usr/bin/tanggul" "${prefix}/${TANGGUL_BINDIR}/tanggul" unit "${unit}")
  string(REPLACE "/etc/tanggul/" "${sysconfdir}/tanggul/" unit "${unit}")
  set(unit_file $ENV{DESTDIR}${prefix}/lib/systemd/system/${name}.service)
  message(STATUS "Installing: ${unit_file}")
  file(WRITE ${unit_file} "${unit}")
  file(CHMOD ${unit_file} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endforeach()

set(configuration ${sysconfdir}/tanggul)
if(EXISTS $ENV{DESTDIR}${configuration}/tanggul.yaml)
  message(STATUS "Kept: $ENV{DESTDIR}${configuration}/tanggul.yaml")
else()
  # file(INSTALL) puts DESTDIR before it by itself.
  file(INSTALL ${TANGGUL_SOURCE}/deploy/tanggul.yaml DESTINATION ${configuration})
endif()
