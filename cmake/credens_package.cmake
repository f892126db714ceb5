# Packages that `cpack` makes from a build folder: Debian's (./dev deb) and archives. One for the program, one for what C++ users need,
# one for many machines.

if(NOT PROJECT_IS_TOP_LEVEL OR NOT CREDENS_CLI OR SKBUILD)
  return()
endif()

set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME credens)
set(CPACK_PACKAGE_VENDOR "Credens")
set(CPACK_PACKAGE_CONTACT "${CREDENS_MAINTAINER}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "predict from tables and say how far to trust each prediction")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL program development)
if(TARGET credens_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME credens)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "credens-mpi, libcredens-dev")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION_SUMMARY}
Credens trains an ensemble of neural networks on a table of numbers, words
and dates. It splits the uncertainty of each prediction in two: noise, the
scatter of the measurements, and ignorance, what the data do not tell.
.
This package has the command line.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcredens-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libboost-iostreams-dev, libfmt-dev, libhwy-dev, libzstd-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "deep ensembles with honest uncertainties (C++ library)
Credens trains ensembles of neural networks and splits the uncertainty of each
prediction in two: noise, the scatter of the measurements, and ignorance, what
the data do not tell.
.
This package has the headers, the static library, and files for CMake and
pkg-config.")
set(CPACK_DEBIAN_MPI_PACKAGE_NAME credens-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "credens (= ${PROJECT_VERSION}-1), openmpi-bin")
set(CPACK_COMPONENT_MPI_DESCRIPTION "deep ensembles with honest uncertainties (many machines)
Credens trains ensembles of neural networks and splits the uncertainty of each
prediction in two: noise, the scatter of the measurements, and ignorance, what
the data do not tell.
.
This package has the module that the program loads under mpirun.")

set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/packaging/debian/generator.cmake)
include(CPack)
