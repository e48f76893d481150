# SPDX-License-Identifier: Apache-2.0
# Where the loader looks for shared libraries: the same folders in the build as when installed. Left to itself, CMake ends
# the RUNPATH of every target that will be installed with an empty entry, and the loader reads an empty entry as the
# current folder: a libhwy.so.1 that lies there would be loaded and run.

# bochner_set_runpath(TARGET FOLDER): TARGET is installed into FOLDER, an absolute path. It finds the shared library by its
# place relative to that folder, and other libraries by the folders that it was linked with.
function(bochner_set_runpath target folder)
  set(runpath ${CMAKE_INSTALL_RPATH})
  if(BUILD_SHARED_LIBS AND NOT folder STREQUAL CMAKE_INSTALL_FULL_LIBDIR)
    file(RELATIVE_PATH place ${folder} ${CMAKE_INSTALL_FULL_LIBDIR})
    list(APPEND runpath $ORIGIN/${place})
  endif()
  set_target_properties(${target} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH_USE_LINK_PATH ON
    INSTALL_RPATH "${runpath}")
endfunction()
