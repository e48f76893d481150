# SPDX-License-Identifier: Apache-2.0
# Read by ctest: one test targets/TARGET/PROGRAM for each of `programs` and each instruction set that `print_targets`
# names after the first. The first is the best one, which every other test of the run uses.

execute_process(COMMAND ${print_targets} OUTPUT_VARIABLE targets RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT status EQUAL 0 OR targets STREQUAL "")
  add_test(targets/listed ${print_targets})
  set_tests_properties(targets/listed PROPERTIES PASS_REGULAR_EXPRESSION "[A-Z]")
  return()
endif()
string(REPLACE "\n" ";" targets "${targets}")
list(REMOVE_AT targets 0)
# Closed forms, plans, the plain reference and W, which is the same on every set, have no lane code.
set(laneless Plan*:Which.*:ErrorReport.*:*RelativeError.*:Mse.*:Moments.*:Stability.*:TailBound.*)
string(APPEND laneless :*/Reference.*:*/PlantedBug.*:Geometric/*)
foreach(target IN LISTS targets)
  foreach(program IN LISTS programs)
    get_filename_component(name ${program} NAME)
    add_test(targets/${target}/${name} ${program} --gtest_brief=1 --gtest_filter=-${laneless})
    set_tests_properties(targets/${target}/${name} PROPERTIES ENVIRONMENT BOCHNER_FORCE_TARGET=${target} TIMEOUT 1200)
  endforeach()
endforeach()
