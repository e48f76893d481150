# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: the library, its headers, and the files by which find_package and pkg-config see it.

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bochner)

install(TARGETS bochner EXPORT bochnerTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/bochner ${PROJECT_BINARY_DIR}/include/bochner
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT bochnerTargets NAMESPACE bochner:: DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/bochnerConfig.cmake.in ${PROJECT_BINARY_DIR}/bochnerConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break: 0.1 does not stand in for 0.2.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bochnerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bochnerConfig.cmake ${PROJECT_BINARY_DIR}/bochnerConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/bochnerDependencies.cmake
        DESTINATION ${package_dir})

# With the static library plain `pkg-config --libs` must name what it needs; --static would also ask for the static
# libraries of our libraries.
set(BOCHNER_PC_REQUIRES "libhwy, zlib")
set(BOCHNER_PC_LIBS "")
set(BOCHNER_PC_PRIVATE "")
if(BUILD_SHARED_LIBS)
  set(BOCHNER_PC_PRIVATE .private)
else()
  set(BOCHNER_PC_LIBS " -pthread")
endif()
if(BOCHNER_OPENBLAS_LIBRARY)
  string(APPEND BOCHNER_PC_LIBS " ${BOCHNER_OPENBLAS_LIBRARY}")
else()
  string(APPEND BOCHNER_PC_REQUIRES ", openblas")
endif()
file(RELATIVE_PATH BOCHNER_PC_UP ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/bochner.pc.in ${PROJECT_BINARY_DIR}/bochner.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/bochner.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
