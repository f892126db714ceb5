# What `cmake --install` puts in place beside the program, so that find_package(credens) and pkg-config find the library there.

if(NOT TARGET credens)
  return()
endif()
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/credens)

install(TARGETS credens EXPORT credens-targets COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/credens TYPE INCLUDE COMPONENT development FILES_MATCHING PATTERN "*.hpp")
install(EXPORT credens-targets NAMESPACE credens:: DESTINATION ${package_folder} COMPONENT development)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/credens-config.cmake.in ${PROJECT_BINARY_DIR}/credens-config.cmake
                              INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may break what used the one before it.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/credens-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/credens-config.cmake ${PROJECT_BINARY_DIR}/credens-config-version.cmake
        DESTINATION ${package_folder} COMPONENT development)

# The file can be moved with its folder: it knows the way from itself to the prefix.
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/credens.pc.in ${PROJECT_BINARY_DIR}/credens.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/credens.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
