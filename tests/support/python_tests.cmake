# SPDX-License-Identifier: Apache-2.0
# One ctest entry per file of python/tests, run by the interpreter that `make python` installs the wheel for.

set(BOCHNER_PYTHON ${PROJECT_BINARY_DIR}/venv/bin/python CACHE FILEPATH
    "Interpreter that has the bochner package; the tests of Python skip where it does not exist")
set(run_python ${CMAKE_CURRENT_SOURCE_DIR}/support/run_python.sh ${BOCHNER_PYTHON})

file(GLOB python_tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/tests/test_*.py)
foreach(file IN LISTS python_tests)
  get_filename_component(name ${file} NAME_WE)
  add_test(NAME python/${name} COMMAND ${run_python} -m pytest -q -rs -p no:cacheprovider ${file}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(python/${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
endforeach()

# An example is a program that exits with 0. Those that train networks do so at a size at which they only show that they run.
file(GLOB python_examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.py)
foreach(file IN LISTS python_examples)
  get_filename_component(name ${file} NAME_WE)
  set(arguments)
  if(name MATCHES "^(vision_transformer|uptraining)$")
    set(arguments --quick --out ${PROJECT_BINARY_DIR}/examples/${name}.png)
  endif()
  add_test(NAME examples/${name}.py COMMAND ${run_python} ${file} ${arguments})
  set_tests_properties(examples/${name}.py PROPERTIES SKIP_RETURN_CODE 77)
endforeach()

# Experiments at a size at which they only show that they run.
foreach(experiment IN ITEMS "crt_variance --pairs 3 --directions 200" "hrf_pointwise --draws 20"
                            "plan_quality --sets wine --factors 1 --seeds 2 --rows 60"
                            "nadaraya_watson --sets wine --seeds 2" "svm_table --quick"
                            "softmax_sampling --quick" "binary_codes --quick")
  separate_arguments(words UNIX_COMMAND "${experiment}")
  list(POP_FRONT words name)
  add_test(NAME experiments/${name}
           COMMAND ${run_python} ${PROJECT_SOURCE_DIR}/experiments/${name}.py ${words} --out
                   ${PROJECT_BINARY_DIR}/experiments/${name}.png)
  set_tests_properties(experiments/${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
endforeach()
