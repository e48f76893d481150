# SPDX-License-Identifier: Apache-2.0
# The libraries that a static bochner needs at link time, as the targets bochner::hwy, bochner::openblas and ZLIB::ZLIB. The build
# includes this file, and so does the installed bochnerConfig.cmake. What is missing is left in bochner_MISSING.

set(bochner_MISSING "")

if(NOT TARGET bochner::hwy)
  pkg_check_modules(BOCHNER_HWY QUIET IMPORTED_TARGET libhwy)
  if(TARGET PkgConfig::BOCHNER_HWY)
    add_library(bochner::hwy INTERFACE IMPORTED)
    target_link_libraries(bochner::hwy INTERFACE PkgConfig::BOCHNER_HWY)
  else()
    string(APPEND bochner_MISSING " Highway (Debian: libhwy-dev);")
  endif()
endif()

find_package(ZLIB QUIET)
if(NOT TARGET ZLIB::ZLIB)
  string(APPEND bochner_MISSING " zlib (Debian: zlib1g-dev);")
endif()

# pkg-config gives the flavour that Debian's alternatives point to. Where that is the serial one, or there is no
# openblas.pc, the folder of the pthread flavour is looked into before the plain library folders. A given
# BOCHNER_OPENBLAS_LIBRARY is taken as it is.
if(NOT TARGET bochner::openblas)
  if(NOT BOCHNER_OPENBLAS_LIBRARY)
    pkg_check_modules(BOCHNER_OPENBLAS QUIET IMPORTED_TARGET openblas)
  endif()
  if(TARGET PkgConfig::BOCHNER_OPENBLAS AND NOT BOCHNER_OPENBLAS_LINK_LIBRARIES MATCHES "openblas-serial")
    add_library(bochner::openblas INTERFACE IMPORTED)
    target_link_libraries(bochner::openblas INTERFACE PkgConfig::BOCHNER_OPENBLAS)
  else()
    find_library(BOCHNER_OPENBLAS_LIBRARY NAMES openblas PATH_SUFFIXES openblas-pthread
                 PATHS ${BOCHNER_OPENBLAS_LIBRARY_DIRS})
    find_path(BOCHNER_OPENBLAS_INCLUDE_DIR NAMES cblas.h PATH_SUFFIXES openblas-pthread openblas
              PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} ${BOCHNER_OPENBLAS_INCLUDE_DIRS})
    if(BOCHNER_OPENBLAS_LIBRARY AND BOCHNER_OPENBLAS_INCLUDE_DIR)
      add_library(bochner::openblas INTERFACE IMPORTED)
      target_link_libraries(bochner::openblas INTERFACE ${BOCHNER_OPENBLAS_LIBRARY})
      target_include_directories(bochner::openblas INTERFACE ${BOCHNER_OPENBLAS_INCLUDE_DIR})
    else()
      string(APPEND bochner_MISSING " OpenBLAS (Debian: libopenblas-pthread-dev);")
    endif()
  endif()
endif()
