# SPDX-License-Identifier: Apache-2.0
# Debian's serial OpenBLAS returns wrong products when two threads call it (built without locking: OpenBLAS#1755). The
# library then takes one lock around BLAS, which is right but slow, so a build against it says so.

if(NOT CMAKE_CROSSCOMPILING)
  try_run(BOCHNER_OPENBLAS_EXIT BOCHNER_OPENBLAS_LINKS ${PROJECT_BINARY_DIR}/CMakeFiles/openblas_flavour
          ${CMAKE_CURRENT_LIST_DIR}/openblas_flavour.cpp LINK_LIBRARIES bochner::openblas)
  if(NOT BOCHNER_OPENBLAS_LINKS)
    message(FATAL_ERROR "The BLAS found is not OpenBLAS: it has no openblas_get_config. "
                        "On Debian or Ubuntu: apt-get install libopenblas-pthread-dev")
  elseif(BOCHNER_OPENBLAS_EXIT EQUAL 3)
    message(WARNING "This OpenBLAS is the serial flavour: every BLAS call will wait for one lock. Better: "
                    "apt-get install libopenblas-pthread-dev, then configure in a fresh folder.")
  elseif(NOT BOCHNER_OPENBLAS_EXIT EQUAL 0)
    message(FATAL_ERROR "A program linked with the OpenBLAS found does not run (${BOCHNER_OPENBLAS_EXIT}).")
  endif()
endif()
